// The kernel's TCP: a connection between any two processes, non-blocking, each message after its size in 4 bytes.

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>

#include "lossy.hpp"

namespace {

using namespace ayatori;
using lossy::Part;

void need(bool good, const char* what) {
  if (!good) lossy::give_up(fmt::format("{}: {}", what, std::strerror(errno)));
}

/// The connection to one peer.
struct Connection {
  struct Outgoing {
    std::uint32_t size = 0;
    std::span<const std::byte> bytes;
    std::size_t sent = 0;  // of the size and the bytes
  };

  int socket = -1;
  std::deque<Outgoing> outgoing;
  std::uint32_t size = 0;    // of the message that comes
  std::size_t received = 0;  // of its size and bytes
  std::vector<std::byte> memory = std::vector<std::byte>(lossy::max_bytes);
};

class TcpExecutor final : public lossy::MessageExecutor {
 public:
  TcpExecutor(const Part& part, lossy::SharedState& shared) : MessageExecutor(part), peers_(part.procs) {
    const int listening = listen_here(shared);
    for (Rank peer = 0; peer < part.self; ++peer) connect_to(peer, shared);
    for (Rank peer = part.self + 1; peer < part.procs; ++peer) accept_one(listening);
    close(listening);
  }

 private:
  int listen_here(lossy::SharedState& shared) const {
    const int made = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    need(bind(made, reinterpret_cast<sockaddr*>(&address), size) == 0 && listen(made, 16) == 0, "listen");
    need(getsockname(made, reinterpret_cast<sockaddr*>(&address), &size) == 0, "getsockname");
    lossy::publish(shared, part().self, std::as_bytes(std::span(&address, 1)));
    return made;
  }

  void connect_to(Rank peer, lossy::SharedState& shared) {
    sockaddr_in address{};
    std::memcpy(&address, lossy::await_address(shared, peer).data(), sizeof address);
    const int made = socket(AF_INET, SOCK_STREAM, 0);
    need(connect(made, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0, "connect");
    const std::uint32_t self = part().self;
    need(::send(made, &self, sizeof self, 0) == sizeof self, "send");
    keep(peer, made);
  }

  void accept_one(int listening) {
    const int made = accept(listening, nullptr, nullptr);
    need(made >= 0, "accept");
    std::uint32_t peer = 0;
    need(recv(made, &peer, sizeof peer, MSG_WAITALL) == sizeof peer, "recv");
    keep(peer, made);
  }

  void keep(Rank peer, int made) {
    const int on = 1;
    setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    need(fcntl(made, F_SETFL, O_NONBLOCK) == 0, "fcntl");
    peers_.at(peer).socket = made;
  }

  bool send(Rank to, std::span<const std::byte> message) override {
    if (peers_[to].outgoing.size() >= 64) return false;
    peers_[to].outgoing.push_back({static_cast<std::uint32_t>(message.size()), message});
    write_to(peers_[to]);
    return true;
  }
  [[nodiscard]] bool all_sent() const override {
    return std::ranges::all_of(peers_, [](const Connection& peer) { return peer.outgoing.empty(); });
  }

  void progress() override {
    bool any = false;
    for (Rank peer = 0; peer < peers_.size(); ++peer) {
      if (peer == part().self) continue;
      any = write_to(peers_[peer]) || any;
      any = read_from(peer) || any;
    }
    if (!any && !part().spins) sleep();
  }

  void sleep() {
    std::vector<pollfd> polled;
    for (const Connection& peer : peers_) {
      if (peer.socket < 0) continue;
      polled.push_back({peer.socket, static_cast<short>(POLLIN | (peer.outgoing.empty() ? 0 : POLLOUT)), 0});
    }
    poll(polled.data(), polled.size(), 1);
  }

  static bool write_to(Connection& peer) {
    bool any = false;
    while (!peer.outgoing.empty()) {
      Connection::Outgoing& first = peer.outgoing.front();
      const auto head =
          std::as_writable_bytes(std::span(&first.size, 1)).subspan(std::min(first.sent, sizeof first.size));
      const auto rest = first.bytes.subspan(first.sent - std::min(first.sent, sizeof first.size));
      iovec parts[] = {{head.data(), head.size()}, {const_cast<std::byte*>(rest.data()), rest.size()}};
      const ssize_t sent = writev(peer.socket, parts, 2);
      if (sent < 0) break;
      any = true;
      first.sent += static_cast<std::size_t>(sent);
      if (first.sent == sizeof first.size + first.bytes.size()) peer.outgoing.pop_front();
    }
    return any;
  }

  /// The size of the message that comes, and its bytes, are where they belong at once.
  bool read_from(Rank from) {
    Connection& peer = peers_[from];
    bool any = false;
    while (true) {
      const bool sized = peer.received >= sizeof peer.size;
      std::byte* to = sized ? peer.memory.data() + (peer.received - sizeof peer.size)
                            : reinterpret_cast<std::byte*>(&peer.size) + peer.received;
      const std::size_t wanted = (sized ? sizeof peer.size + peer.size : sizeof peer.size) - peer.received;
      const ssize_t got = recv(peer.socket, to, wanted, 0);
      need(got > 0 || (got < 0 && errno == EAGAIN), "a peer has ended");
      if (got < 0) return any;
      any = true;
      peer.received += static_cast<std::size_t>(got);
      if (peer.received < sizeof peer.size || peer.received < sizeof peer.size + peer.size) continue;
      peer.received = 0;
      take(from, std::span(peer.memory).first(peer.size));
    }
  }

  std::vector<Connection> peers_;
};

}  // namespace

int main(int argc, char** argv) {
  return lossy::run(argc, argv, {"tcp", [](const Part& part, lossy::SharedState& shared) {
                                   return std::make_unique<TcpExecutor>(part, shared);
                                 }});
}
