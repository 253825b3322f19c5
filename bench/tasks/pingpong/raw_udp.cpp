// Plain UDP sockets on the loopback: sendto and recvfrom, spinning.

#include <netinet/in.h>
#include <sys/socket.h>

#include "pingpong.hpp"

namespace {

using namespace ayatori;
using bench::give_up;

class RawPlayer {
 public:
  explicit RawPlayer(std::uint32_t self) : peer_(address_of(1 - self)) {
    const sockaddr_in own = address_of(self);
    if (bind(socket_, reinterpret_cast<const sockaddr*>(&own), sizeof own) != 0) give_up("no UDP socket");
  }

  void ping() {
    send();
    receive();
  }
  void pong(std::uint32_t count) {
    for (std::uint32_t n = 0; n < count; ++n) {
      receive();
      send();
    }
  }
  void settle() {}
  void check(bool on) { checks_ = on; }
  [[nodiscard]] std::string statistics() const { return ""; }

 private:
  /// In 127/8, by the run and the process, as our own addresses are.
  static sockaddr_in address_of(std::uint32_t self) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(127U << 24 | (static_cast<std::uint32_t>(getppid()) & 0xFFFF) << 8 | 128);
    address.sin_port = htons(static_cast<std::uint16_t>(25'000 + self));
    return address;
  }

  void send() {
    sendto(socket_, ball_.data(), ball_.size(), 0, reinterpret_cast<const sockaddr*>(&peer_), sizeof peer_);
  }
  void receive() {
    while (recvfrom(socket_, received_.data(), received_.size(), MSG_DONTWAIT, nullptr, nullptr) < 0) continue;
    if (checks_ && received_ != ball_) give_up("wrong contents");
  }

  int socket_ = ::socket(AF_INET, SOCK_DGRAM, 0);
  sockaddr_in peer_;
  bool checks_ = false;
  pingpong::Ball ball_ = pingpong::make_ball();
  pingpong::Ball received_{};
};

}  // namespace

int main() {
  return pingpong::run(3'000, [](std::uint32_t self) { return std::make_unique<RawPlayer>(self); });
}
