// The transport over UDP on the loopback, every option at its default.

#include "ayatori/driver/driver.hpp"
#include "ayatori/udp/udp_wire.hpp"
#include "incast.hpp"

namespace {

using namespace ayatori;
using namespace ayatori::transport;
using namespace ayatori::wires;
using bench::give_up;
using bench::need;

constexpr PeerId receiver_rank = 0;

/// What the processes have in common, and no other run has.
JobKey job_key() { return static_cast<JobKey>(getppid()); }

UdpAddresses addresses(const incast::Settings& settings) {
  const auto host = 127U << 24 | (static_cast<std::uint32_t>(job_key()) & 0xFFFF) << 8 | 1;
  return {.first_host = host, .ranks_per_host = settings.senders + 1};
}

Options options_for(const Wire& wire) {
  Options options;
  options.datagram_bytes = static_cast<std::uint32_t>(wire.datagram_bytes());
  return options;
}

/// An endpoint on a wire of its own.
class Seat : public Application {
 public:
  Seat(const incast::Settings& settings, Rank self)
      : wire_(need(UdpWire::make({.addresses = addresses(settings), .self = self}))),
        endpoint_(need(Endpoint::make({.self = self, .key = job_key(), .seed = self}, options_for(*wire_), *this))),
        driver_(endpoint_, *wire_, clock_) {}

 protected:
  void step() {
    if (!driver_.progress()) driver_.sleep(std::chrono::milliseconds(1));
  }
  bool send(std::span<const std::byte> message, Token token) {
    return endpoint_.send(driver_.now(), receiver_rank, message, token);
  }
  [[nodiscard]] const Statistics& statistics() const { return endpoint_.statistics(); }

 private:
  std::byte* reserve(PeerId, Bytes size, Urgency) override { return new std::byte[size]; }
  void release(std::byte* memory) override { delete[] memory; }
  void lost(PeerId, Time) override { give_up("a peer is lost"); }

  std::unique_ptr<UdpWire> wire_;
  SteadyClock clock_;
  Endpoint endpoint_;
  Driver driver_;
};

class Receiver final : public incast::Receiver, Seat {
 public:
  Receiver(const incast::Settings& settings, incast::Board& board, incast::Inbox& inbox)
      : Seat(settings, receiver_rank), inbox_(inbox) {
    const std::byte here{1};
    publish(board, std::span(&here, 1));
  }
  void progress() override { step(); }
  std::int64_t duplicates() override { return static_cast<std::int64_t>(statistics().duplicates); }

 private:
  void deliver(PeerId, std::span<const std::byte> message, std::byte* memory) override {
    inbox_.take(message);
    delete[] memory;
  }

  incast::Inbox& inbox_;
};

class Sender final : public incast::Sender, Seat {
 public:
  Sender(const incast::Settings& settings, incast::Outbox& outbox, Rank self) : Seat(settings, self), outbox_(outbox) {}

  bool send(const incast::Message& message) override { return Seat::send(message.bytes, message.place); }
  void progress() override { step(); }
  std::int64_t retransmissions() override { return static_cast<std::int64_t>(statistics().retransmissions); }

 private:
  void deliver(PeerId, std::span<const std::byte>, std::byte* memory) override { delete[] memory; }
  void acknowledged(Token place) override { outbox_.done(static_cast<std::uint32_t>(place)); }

  incast::Outbox& outbox_;
};

}  // namespace

int main(int argc, char** argv) {
  return incast::run(
      argc, argv,
      {.receiver = [](const incast::Settings& settings, incast::Board& board,
                      incast::Inbox& inbox) { return std::make_unique<Receiver>(settings, board, inbox); },
       .sender =
           [](const incast::Settings& settings, incast::Board& board, incast::Outbox& outbox, std::uint32_t sender) {
             await_address(board);
             return std::make_unique<Sender>(settings, outbox, sender + 1);
           }});
}
