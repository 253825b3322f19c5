// The transport over UDP on the loopback, every option at its default.

#include "harness/our_process.hpp"
#include "incast.hpp"

namespace {

using namespace ayatori;
using bench::OurProcess;
using transport::PeerId;

constexpr Rank receiver_rank = 0;

class Receiver final : public incast::Receiver, OurProcess {
 public:
  Receiver(const incast::Settings& settings, incast::SharedState& shared, incast::Inbox& inbox)
      : OurProcess("udp", receiver_rank), inbox_(inbox) {
    const std::byte here{1};
    publish(shared, std::span(&here, 1));
  }
  void progress() override { step(); }
  std::int64_t duplicates() override { return static_cast<std::int64_t>(statistics().duplicates); }

 private:
  void take(PeerId, std::span<const std::byte> message) override { inbox_.take(message); }

  incast::Inbox& inbox_;
};

class Sender final : public incast::Sender, OurProcess {
 public:
  Sender(const incast::Settings& settings, incast::Outbox& outbox, Rank self)
      : OurProcess("udp", self), outbox_(outbox) {}

  bool send(const incast::Message& message) override {
    return OurProcess::send(receiver_rank, message.bytes, message.buffer);
  }
  void progress() override { step(); }
  std::int64_t retransmissions() override { return static_cast<std::int64_t>(statistics().retransmissions); }

 private:
  void take(PeerId, std::span<const std::byte>) override {}
  void acknowledged(transport::Token buffer) override { outbox_.done(static_cast<std::uint32_t>(buffer)); }

  incast::Outbox& outbox_;
};

}  // namespace

int main(int argc, char** argv) {
  return incast::run(
      argc, argv,
      {.receiver = [](const incast::Settings& settings, incast::SharedState& shared,
                      incast::Inbox& inbox) { return std::make_unique<Receiver>(settings, shared, inbox); },
       .sender =
           [](const incast::Settings& settings, incast::SharedState& shared, incast::Outbox& outbox,
              std::uint32_t sender) {
             await_address(shared);
             return std::make_unique<Sender>(settings, outbox, sender + 1);
           }});
}
