#include "doorbell.hpp"

#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

namespace ayatori::wires {

namespace {

struct Name {
  sockaddr_un address{};
  socklen_t size = 0;

  Name(std::uint64_t key, Rank rank) {
    address.sun_family = AF_UNIX;
    // The leading zero makes it abstract.
    const std::string name = fmt::format("ayatori-{:016x}-{}", key, rank);
    std::memcpy(address.sun_path + 1, name.data(), name.size());
    size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  }
  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address); }
};

}  // namespace

Result<Doorbell> Doorbell::make(std::uint64_t key, Rank self) {
  Descriptor made(socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!made.is_open()) return refused("no local socket can be made", errno);
  const Name name(key, self);
  if (bind(made.number(), name.get(), name.size) != 0) {
    return refused(fmt::format("rank {} of job {:016x} can't be woken", self, key), errno);
  }
  return Doorbell(key, std::move(made));
}

void Doorbell::wake(Rank peer) {
  const Name name(key_, peer);
  // If the socket is full, the peer will wake anyway.
  sendto(socket_.number(), "", 1, MSG_DONTWAIT | MSG_NOSIGNAL, name.get(), name.size);
}

void Doorbell::drain() {
  char signal = 0;
  while (recv(socket_.number(), &signal, sizeof signal, MSG_DONTWAIT) >= 0) continue;
}

}  // namespace ayatori::wires
