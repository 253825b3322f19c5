// Plain UDP sockets on the loopback: datagrams that do not fit into the receiver's socket are lost without notice.

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <cstring>

#include "incast.hpp"

namespace {

using namespace ayatori::incast;

constexpr int receive_bytes = 4 << 20;  // as the other stacks ask for

sockaddr_in loopback() {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

class RawReceiver final : public Receiver {
 public:
  RawReceiver(const Settings& settings, SharedState& shared, Inbox& inbox) : inbox_(inbox), message_(settings.bytes) {
    sockaddr_in address = loopback();
    socklen_t size = sizeof address;
    setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof receive_bytes);
    if (bind(socket_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
      give_up("no UDP socket");
    }
    publish(shared, std::as_bytes(std::span(&address, 1)));
  }

  void progress() override {
    pollfd polled{socket_, POLLIN, 0};
    poll(&polled, 1, 1);
    ssize_t got = 0;
    while ((got = recv(socket_, message_.data(), message_.size(), MSG_DONTWAIT | MSG_TRUNC)) >= 0) {
      inbox_.take(std::span(message_).first(static_cast<std::size_t>(got)));
    }
  }
  std::int64_t duplicates() override { return 0; }

 private:
  int socket_ = ::socket(AF_INET, SOCK_DGRAM, 0);
  Inbox& inbox_;
  std::vector<std::byte> message_;
};

class RawSender final : public Sender {
 public:
  RawSender(SharedState& shared, Outbox& outbox) : outbox_(outbox) {
    sockaddr_in address{};
    const auto published = await_address(shared);
    std::memcpy(&address, published.data(), sizeof address);
    if (connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) give_up("no UDP socket");
  }

  bool send(const Message& message) override {
    if (::send(socket_, message.bytes.data(), message.bytes.size(), 0) < 0) give_up("a message was refused");
    sent_.push_back(message.buffer);
    return true;
  }
  void progress() override {
    if (sent_.empty()) poll(nullptr, 0, 1);
    for (const std::uint32_t buffer : sent_) outbox_.done(buffer);
    sent_.clear();
  }
  std::int64_t retransmissions() override { return 0; }

 private:
  int socket_ = ::socket(AF_INET, SOCK_DGRAM, 0);
  Outbox& outbox_;
  std::vector<std::uint32_t> sent_;
};

}  // namespace

int main(int argc, char** argv) {
  return run(argc, argv,
             {.receiver = [](const Settings& settings, SharedState& shared,
                             Inbox& inbox) { return std::make_unique<RawReceiver>(settings, shared, inbox); },
              .sender = [](const Settings&, SharedState& shared, Outbox& outbox,
                           std::uint32_t) { return std::make_unique<RawSender>(shared, outbox); },
              .reliable = false});
}
