// Calls, answers, puts, gets and the contents of directories, of any bytes, as peers may send them to a process. There
// must be no crash and no access outside registered memory, and bytes that are not a call must be refused.

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "ayatori/onesided/global_memory.hpp"
#include "calls.hpp"
#include "require.hpp"

namespace {

using namespace ayatori;
using namespace ayatori::onesided;
using transport::Endpoint;
using transport::RemoteRange;

constexpr transport::JobKey key = 7;
constexpr Rank procs = 3;
constexpr std::size_t memory_bytes = 256;

/// The input, followed by zeros.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : rest_(std::as_bytes(std::span(data, size))) {}

  template <typename Value>
  Value take() {
    Value value{};
    const std::size_t size = std::min(sizeof value, rest_.size());
    if (size > 0) std::memcpy(&value, rest_.data(), size);
    rest_ = rest_.subspan(size);
    return value;
  }
  [[nodiscard]] bool empty() const { return rest_.empty(); }

 private:
  std::span<const std::byte> rest_;
};

/// A peer whose transport is right, and nothing above it.
struct Peer final : transport::Application {
  std::byte* reserve(transport::PeerId, Bytes size, transport::Urgency) override { return new std::byte[size]; }
  void deliver(transport::PeerId, std::span<const std::byte>, std::byte* reserved) override { delete[] reserved; }
  void release(std::byte* reserved) override { delete[] reserved; }
  transport::OperationResult operate(transport::PeerId, std::span<const std::byte> request) override {
    require(decode_call(request).has_value());
    return answer;
  }
  bool write(transport::PeerId, const RemoteRange& range, std::span<const std::byte>) override { return range.key % 2; }
  std::optional<std::span<const std::byte>> read(transport::PeerId, const RemoteRange& range) override {
    if (range.size > contents.size()) return std::nullopt;
    return std::span<const std::byte>(contents).first(range.size);
  }
  /// Tokens of calls: 1 if it was one, otherwise 0.
  void returned(transport::Token token, std::span<const std::byte> result) override {
    const auto said = decode_answer(result);
    require(said.has_value() && (token == 1 || said->status == Status::refused));
  }

  transport::OperationResult answer;
  std::array<std::byte, 64> contents{};
  std::vector<std::byte> into = std::vector<std::byte>(300);
};

class Job {
 public:
  Job() {
    Settings settings;
    settings.identity = {.self = 0, .key = key, .seed = 1};
    settings.procs = procs;
    settings.operations = 8;
    settings.channels = 2;
    settings.delegated = 2;
    settings.known_regions = 2;
    settings.endpoint = options();
    own_ = *std::move(GlobalMemory::make(settings));
    region_ = *own_->memory().add(memory_.get(), memory_bytes);
    for (Rank rank = 1; rank < procs; ++rank) {
      peers_.push_back(std::make_unique<Peer>());
      endpoints_.push_back(*Endpoint::make({.self = rank, .key = key, .seed = rank}, options(), *peers_.back()));
    }
    in_ = *own_->open_channel(now_, 1, 0);
    out_ = *own_->open_channel(now_, 0, 2);
  }

  void step(Input& input) {
    const auto choice = input.take<std::uint8_t>();
    const std::size_t which = choice / 64 % peers_.size();
    Peer& peer = *peers_[which];
    Endpoint& endpoint = endpoints_[which];
    switch (choice % 16) {
      case 0:
        return call(endpoint, input);
      case 1:
        peer.answer.size = input.take<std::uint8_t>() % (answer_bytes + 2);
        std::ranges::copy(input.take<std::array<std::byte, answer_bytes>>(), peer.answer.bytes.begin());
        return;
      case 2:
        peer.contents = input.take<std::array<std::byte, 64>>();
        return;
      case 3:
        return void(endpoint.put(now_, 0, range(input), std::span(peer.into).first(input.take<std::uint8_t>()), 2));
      case 4:
        return void(endpoint.get(now_, 0, range(input), std::span(peer.into).first(input.take<std::uint8_t>()), 2));
      default:
        return use(choice % 16, input);
    }
  }

  void settle() {
    for (int round = 0; round < 12; ++round) {
      now_ += std::chrono::microseconds(100);
      (void)own_->progress(now_);
      own_->endpoint().advance(now_);
      carry(own_->endpoint());
      for (Endpoint& endpoint : endpoints_) {
        endpoint.advance(now_);
        carry(endpoint);
      }
    }
    for (RequestId& request : requests_) {
      if (request != 0 && own_->request_done(request)) (void)own_->finish(std::exchange(request, 0));
    }
    (void)own_->take_failure(own_->latest());
  }

 private:
  static transport::Options options() {
    transport::Options options;
    options.incoming_contexts = options.outgoing_contexts = 8;
    options.messages = options.assemblies = 16;
    options.replies = options.operations = options.targets = options.initiators = 8;
    options.epoch_cells = 8;
    return options;
  }

  void call(Endpoint& endpoint, Input& input) {
    const auto bytes = input.take<std::array<std::byte, call_bytes>>();
    const auto asked = decode_call(bytes);
    if (asked) require(encode(*asked) == bytes);
    const auto how = input.take<std::uint8_t>() % 16;
    if (how == 2) return void(endpoint.notify(now_, 0, bytes));
    const auto size = static_cast<std::size_t>(how == 1 ? 33 : call_bytes);
    (void)endpoint.call(now_, 0, std::span(bytes).first(size), asked && size == call_bytes ? 1 : 0);
  }

  static transport::RemoteAddress range(Input& input) {
    const auto range_key = input.take<std::uint64_t>();
    return {range_key, input.take<std::uint64_t>()};
  }

  /// What the process itself does meanwhile.
  void use(int what, Input& input) {
    const auto amount = input.take<std::uint8_t>();
    const GlobalAddress here = own_->space().of({0, static_cast<std::uint32_t>(region_), 0});
    const GlobalAddress one = own_->space().of({1, amount % 4U, amount * 8U});
    const GlobalAddress two = own_->space().of({2, amount % 4U, amount * 8U});
    RequestId& request = requests_[amount % requests_.size()];
    if (what < 10 && own_->full()) return;
    if (what == 5) (void)own_->copy(now_, one, here, amount, 0);
    if (what == 6) (void)own_->copy(now_, here, two, amount, 0);
    if (what == 7) (void)own_->copy(now_, one, two, amount, own_->latest());
    if (what == 8) (void)own_->apply(now_, {.dst = here, .src = two & ~GlobalAddress{7}, .operand = 3}, 0);
    if (what == 9 && own_->barrier_done()) own_->start_barrier(now_);
    if (request != 0) return;
    if (what == 10) request = own_->send(now_, out_, buffer_.data(), amount % buffer_.size()).value_or(0);
    if (what == 11) request = own_->receive(now_, in_, buffer_.data(), amount % buffer_.size()).value_or(0);
    if (what == 12) request = own_->close_channel(now_, amount % 2 == 0 ? in_ : out_).value_or(0);
  }

  void carry(Endpoint& from) {
    for (int n = 0; n < 50; ++n) {
      const auto datagram = from.next_packet(now_);
      if (!datagram) return;
      std::vector<std::byte> copy(datagram->header.begin(), datagram->header.end());
      copy.insert(copy.end(), datagram->payload.begin(), datagram->payload.end());
      (datagram->to == 0 ? own_->endpoint() : endpoints_.at(datagram->to - 1)).receive(now_, copy);
    }
  }

  Time now_{transport::Duration(1'000'000)};
  // Memory of its own: what lies behind it is nobody's.
  std::unique_ptr<std::byte[]> memory_ = std::make_unique<std::byte[]>(memory_bytes);
  std::vector<std::byte> buffer_ = std::vector<std::byte>(100);
  std::unique_ptr<GlobalMemory> own_;
  std::uint64_t region_ = 0;
  std::vector<std::unique_ptr<Peer>> peers_;
  std::vector<Endpoint> endpoints_;
  ChannelId in_ = 0;
  ChannelId out_ = 0;
  std::array<RequestId, 4> requests_{};
};

}  // namespace

/// Steps, each after one byte that says which, and whose.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  Job job;
  for (int steps = 0; steps < 40 && !input.empty(); ++steps) {
    job.step(input);
    if (steps % 2 == 1) job.settle();
  }
  job.settle();
  return 0;
}
