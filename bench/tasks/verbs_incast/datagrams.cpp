// UD queue pairs and our transport: with MORE = a timer in microseconds paper 5's own protocol, with `adaptive` ours
// with admission. Each sender is an endpoint with queue pairs of its own.

#include <sched.h>

#include <cstring>
#include <string_view>

#include "ayatori/base/text.hpp"
#include "ayatori/driver/driver.hpp"
#include "ayatori/verbs/verbs_wire.hpp"
#include "verbs_incast.hpp"

namespace {

using namespace ayatori;
using namespace ayatori::verbs_incast;
using transport::PeerId;

constexpr Rank receiver_rank = senders;
constexpr transport::JobKey key = 0x1ca57;

transport::Options options_of(const Settings& settings, int count, char** more) {
  const std::string_view word = count > 0 ? more[0] : "adaptive";
  transport::Options options;
  if (word != "adaptive") {
    const auto microseconds = parse_unsigned<std::uint32_t>(word);
    if (!microseconds) bench::give_up(fmt::format("'{}' is neither 'adaptive' nor a number of microseconds", word));
    options = transport::stop_and_wait(std::chrono::microseconds(*microseconds));
  }
  options.receive_buffers = settings.buffers;
  return options;
}

/// An endpoint on queue pairs of its own.
class Node final : public transport::Application {
 public:
  Node(const Settings& settings, Shared& shared, Rank self, const wires::VerbsOptions& adapter,
       transport::Options options)
      : settings_(settings),
        shared_(shared),
        wire_(bench::need(wires::VerbsWire::make(adapter, [this](Rank rank) { return address_of(rank); }))),
        endpoint_(made(self, options)),
        driver_(endpoint_, *wire_, clock_) {
    const wires::UdAddress own = wire_->address();
    static_assert(sizeof own <= sizeof shared.addresses[0]);
    std::memcpy(shared.addresses[self].data(), &own, sizeof own);
  }

  bool progress() { return driver_.progress(); }
  bool send(std::span<const std::byte> message) { return endpoint_.send(driver_.now(), receiver_rank, message, 0); }
  [[nodiscard]] const transport::Statistics& statistics() const { return endpoint_.statistics(); }

  std::uint32_t acknowledged_ = 0;
  std::array<std::uint32_t, senders> next{};  ///< of each sender, at the receiver

 private:
  Result<wires::UdAddress> address_of(Rank rank) const {
    wires::UdAddress address;
    std::memcpy(&address, shared_.addresses[rank].data(), sizeof address);
    return address;
  }
  transport::Endpoint made(Rank self, transport::Options options) {
    options.datagram_bytes = static_cast<std::uint32_t>(wire_->datagram_bytes());
    return bench::need(transport::Endpoint::make({.self = self, .key = key, .seed = self}, options, *this));
  }

  std::byte* reserve(PeerId, Bytes size, transport::Urgency) override { return new std::byte[size]; }
  void release(std::byte* memory) override { delete[] memory; }
  void deliver(PeerId from, std::span<const std::byte> message, std::byte* memory) override {
    std::uint32_t number = 0;
    std::memcpy(&number, message.data(), sizeof number);
    if (number != next[from]++) bench::give_up(fmt::format("message {} of sender {} came out of order", number, from));
    handle(settings_);
    ++shared_.delivered;
    delete[] memory;
  }
  void acknowledged(transport::Token) override { ++acknowledged_; }
  void lost(PeerId peer, transport::Time) override { bench::give_up(fmt::format("{} is lost", peer)); }

  const Settings& settings_;
  Shared& shared_;
  std::unique_ptr<wires::VerbsWire> wire_;
  wires::SteadyClock clock_;
  transport::Endpoint endpoint_;
  wires::Driver driver_;
};

void receive(const Settings& settings, Shared& shared, int count, char** more) {
  Node node(settings, shared, receiver_rank,
            {.key = key, .device = settings.receiver_device, .receive_buffers = settings.buffers, .send_buffers = 256},
            options_of(settings, count, more));
  shared.receiver_ready = true;
  await(shared.senders_ready);
  while (!shared.done) {
    if (!node.progress()) sched_yield();
  }
  shared.duplicates = node.statistics().duplicates;
}

void send(const Settings& settings, Shared& shared, int count, char** more) {
  transport::Options options = options_of(settings, count, more);
  options.receive_buffers = 8;  // acknowledgements have buffers of their own
  std::vector<std::unique_ptr<Node>> nodes;
  for (Rank rank = 0; rank < senders; ++rank) {
    nodes.push_back(std::make_unique<Node>(settings, shared, rank,
                                           wires::VerbsOptions{.key = key,
                                                               .device = settings.sender_device,
                                                               .receive_buffers = 8,
                                                               .control_buffers = 8,
                                                               .send_buffers = 8,
                                                               .peers = 2},
                                           options));
  }
  await(shared.receiver_ready);
  std::vector<std::vector<std::byte>> messages(senders, std::vector<std::byte>(settings.bytes));
  std::vector<std::uint32_t> sent(senders, 0);
  shared.senders_ready = true;
  const double start = seconds_now();
  for (std::uint32_t finished = 0; finished < senders;) {
    finished = 0;
    for (Rank rank = 0; rank < senders; ++rank) {
      Node& node = *nodes[rank];
      finished += node.acknowledged_ == settings.messages ? 1U : 0U;
      if (sent[rank] == node.acknowledged_ && sent[rank] < settings.messages) {
        std::memcpy(messages[rank].data(), &sent[rank], sizeof sent[rank]);
        sent[rank] += node.send(messages[rank]) ? 1U : 0U;
      }
      node.progress();
    }
  }
  shared.seconds = seconds_now() - start;
  for (const auto& node : nodes) shared.retransmissions += node->statistics().retransmissions;
  shared.done = true;
}

}  // namespace

int main(int argc, char** argv) { return run(argc, argv, receive, send); }
