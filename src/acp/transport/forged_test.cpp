// Packets that have the right job key and anything else in them: what a process of the job might send that is broken,
// or hostile. Whatever comes, every message, call, put and get ends exactly once, and memory that was reserved is
// handed back; that nobody reads or writes elsewhere, the sanitizers see.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "ayatori/base/random.hpp"
#include "ayatori/transport/endpoint.hpp"

namespace ayatori::transport {
namespace forged_test {

using namespace std::chrono_literals;

constexpr JobKey key = 9;
constexpr PeerId peers = 4;           // 1 … 4; the victim is 0
constexpr std::size_t epoch_at = 16;  // in a packet, see packet.hpp

/// Reads whatever it is given, and counts what is owed.
struct Ledger final : Application {
  std::byte* reserve(PeerId, Bytes size, Urgency) override {
    if (size > 100'000) return nullptr;
    auto memory = std::make_unique<std::byte[]>(size);
    return reserved.emplace(memory.get(), std::move(memory)).first->first;
  }
  void release(std::byte* memory) override { EXPECT_EQ(reserved.erase(memory), 1U); }
  void deliver(PeerId, std::span<const std::byte> message, std::byte* memory) override {
    read_all(message);
    if (memory) release(memory);
  }
  OperationResult operate(PeerId, std::span<const std::byte> request) override {
    read_all(request);
    return {.bytes = {}, .size = request.size()};
  }
  bool write(PeerId, const RemoteRange& range, std::span<const std::byte> bytes) override {
    EXPECT_EQ(range.size, bytes.size());
    return range.key % 2 == 0;
  }
  std::optional<std::span<const std::byte>> read(PeerId, const RemoteRange& range) override {
    if (range.size > readable.size()) return std::nullopt;
    return std::span<const std::byte>(readable).first(range.size);
  }
  void returned(Token token, std::span<const std::byte> result) override {
    read_all(result);
    end(token);
  }
  void acknowledged(Token token) override { end(token); }
  void completed(Token token) override { end(token); }
  void refused(Token token) override { end(token); }
  void failed(Token token) override { end(token); }

  void end(Token token) { EXPECT_EQ(pending.erase(token), 1U) << "token " << token; }
  void read_all(std::span<const std::byte> bytes) {
    for (const std::byte value : bytes) sum += std::to_integer<unsigned>(value);
  }

  std::map<std::byte*, std::unique_ptr<std::byte[]>> reserved;
  std::set<Token> pending;
  std::array<std::byte, 200> readable{};
  unsigned sum = 0;
};

/// Makes packets whose numbers are near those that the victim uses, so that they mean something to it.
class Forger {
 public:
  explicit Forger(Random& random) : random_(random) {}

  /// Of a packet that the victim has sent.
  void saw(Epoch epoch) { epochs_.push_back(epoch); }

  std::vector<std::byte> packet(Time now) {
    Packet made;
    made.kind = one_in(2) ? PacketKind::data : static_cast<PacketKind>(1 + below(15));
    made.from = 1 + below(peers);
    made.epoch = one_in(500) ? last_epoch : epoch();
    made.sequence = below(one_in(8) ? no_id : 12);
    made.stamp = one_in(2) ? stamp_of(now) : below(no_id);
    made.unordered = one_in(4);
    made.more = one_in(2);
    made.resent = one_in(2);
    if (one_in(3)) made.acknowledgement = acknowledgement(now);
    if (made.kind == PacketKind::renew || made.kind == PacketKind::stale) made.floor = below(5'000);
    const auto payload = fill(made);
    made.payload = payload;
    return bytes_of(made);
  }

 private:
  [[nodiscard]] std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(random_.below(end)); }
  [[nodiscard]] bool one_in(std::uint32_t count) { return below(count) == 0; }

  [[nodiscard]] Epoch epoch() {
    const auto recent = std::min<std::size_t>(epochs_.size(), 20);
    return recent > 0 && !one_in(3) ? epochs_[epochs_.size() - 1 - random_.below(recent)] : 1 + below(3);
  }

  [[nodiscard]] Acknowledgement acknowledgement(Time now) {
    return {.epoch = epoch(),
            .selective = one_in(2) ? 0 : random_(),
            .cumulative = below(10),
            .serial = below(one_in(6) ? no_id : 1'000),
            .credit = below(max_window + 2),
            .duplicates = below(one_in(6) ? no_id : 10),
            .echo = one_in(2) ? stamp_of(now) : below(no_id),
            .answer = one_in(2),
            .queued = one_in(2),
            .rationed = one_in(2)};
  }

  /// The payload, and what the packet says of it.
  [[nodiscard]] std::vector<std::byte> fill(Packet& packet) {
    if (packet.kind == PacketKind::put || packet.kind == PacketKind::get) return fill_operation(packet);
    if (packet.kind == PacketKind::contents) return some_bytes(200);
    if (!carries_data(packet.kind)) return {};
    switch (below(4)) {
      case 0:
        packet.several = true;
        return several();
      case 1:
        packet.message = one_in(2) ? MessageKind::call : MessageKind::reply;
        return call_or_reply();
      case 2:
        packet.fragment = Fragment{one_in(5) ? random_() : below(60), one_in(5) ? random_() : below(40), below(5)};
        [[fallthrough]];
      default:
        return some_bytes(40);
    }
  }

  [[nodiscard]] std::vector<std::byte> fill_operation(Packet& packet) {
    const auto payload = packet.kind == PacketKind::put ? some_bytes(100) : std::vector<std::byte>();
    const auto size = packet.kind == PacketKind::put ? static_cast<std::uint32_t>(payload.size()) : below(400);
    packet.range = RemoteRange{below(4), random_(), size};
    return payload;
  }

  [[nodiscard]] std::vector<std::byte> some_bytes(std::uint32_t most) {
    std::vector<std::byte> bytes(below(most));
    for (std::byte& value : bytes) value = static_cast<std::byte>(one_in(4) ? random_() : below(6));
    return bytes;
  }

  [[nodiscard]] std::vector<std::byte> several() {
    std::vector<std::byte> bytes;
    for (std::uint32_t count = 1 + below(4); count-- > 0;) {
      const std::uint32_t size = below(10);
      bytes.insert(bytes.end(), {static_cast<std::byte>(size), std::byte{0}});
      bytes.resize(bytes.size() + size);
    }
    return bytes;
  }

  /// With a number that a call of the victim may have.
  [[nodiscard]] std::vector<std::byte> call_or_reply() {
    std::vector<std::byte> bytes(operation_id_bytes + below(max_operation_bytes + 1));
    bytes[0] = static_cast<std::byte>(below(10));
    bytes[4] = static_cast<std::byte>(1 + below(3));
    return bytes;
  }

  [[nodiscard]] static std::vector<std::byte> bytes_of(const Packet& packet) {
    HeaderBuffer buffer;
    const auto header = encode_header(packet, key, buffer);
    std::vector<std::byte> bytes(header.begin(), header.end());
    bytes.insert(bytes.end(), packet.payload.begin(), packet.payload.end());
    return bytes;
  }

  Random& random_;
  std::vector<Epoch> epochs_;
};

class Victim {
 public:
  Victim(std::uint64_t seed, Ledger& ledger)
      : random_(seed),
        forger_(random_),
        ledger_(ledger),
        endpoint_(*Endpoint::make({.key = key, .seed = seed}, cramped(), ledger)) {
    if (random_.below(2) == 0) endpoint_.use_express([](PeerId peer) { return peer % 2 == 0; });
  }

  void live() {
    now_ += Duration(random_.below(100) == 0 ? random_.below(200'000'000) : random_.below(20'000));
    switch (random_.below(10)) {
      case 0:
      case 1:
        return ask();
      case 2:
        return send_all(random_.below(2) == 0);
      case 3:
        if (random_.below(3) == 0 || endpoint_.next_deadline() <= now_) endpoint_.advance(now_);
        return;
      default:
        return endpoint_.receive(now_, forger_.packet(now_));
    }
  }

  /// Nobody answers any more: all that is pending must fail.
  void die_out() {
    for (int rounds = 0; rounds < 10'000 && !ledger_.pending.empty(); ++rounds) {
      send_all(false);
      if (endpoint_.next_deadline() == never) break;
      now_ = std::max(now_, endpoint_.next_deadline());
      endpoint_.advance(now_);
    }
    EXPECT_TRUE(ledger_.pending.empty()) << ledger_.pending.size() << " have not ended";
  }

 private:
  Options cramped() {
    const auto few = [this](std::uint32_t most) { return static_cast<std::uint32_t>(1 + random_.below(most)); };
    Options options;
    options.datagram_bytes = 256;
    options.incoming_contexts = few(4);
    options.outgoing_contexts = few(4);
    options.messages = few(8);
    options.assemblies = few(6);
    options.replies = few(3);
    options.operations = few(4);
    options.targets = options.initiators = few(3);
    options.epoch_cells = few(4);
    options.receive_buffers = few(4);
    options.window = few(64);
    options.initial_window = few(options.window);
    options.give_up_after = few(50) * 1ms;
    return options;
  }

  void ask() {
    const auto to = static_cast<PeerId>(1 + random_.below(peers));
    const std::span<std::byte> memory = memory_;
    const auto some = [&](std::size_t most) { return memory.first(random_.below(most)); };
    const Order order = random_.below(3) > 0 ? Order::ordered : Order::unordered;
    bool taken = false;
    switch (random_.below(4)) {
      case 0:
        taken = endpoint_.send(now_, to, some(random_.below(4) > 0 ? 300 : memory.size()), next_, order);
        break;
      case 1:
        taken = endpoint_.call(now_, to, some(max_operation_bytes + 1), next_);
        break;
      case 2:
        taken = endpoint_.put(now_, to, {1, 2}, some(3'000), next_);
        break;
      default:
        taken = endpoint_.get(now_, to, {1, 2}, some(3'000), next_);
    }
    if (taken) ledger_.pending.insert(next_++);
  }

  void send_all(bool wire_takes) {
    for (int n = 0; n < 20 && endpoint_.next_express(); ++n) endpoint_.settle_express(now_, wire_takes);
    for (int n = 0; n < 200; ++n) {
      const auto datagram = endpoint_.next_packet(now_);
      if (!datagram) return;
      ledger_.read_all(datagram->payload);
      Epoch epoch = 0;
      std::memcpy(&epoch, datagram->header.data() + epoch_at, sizeof epoch);
      forger_.saw(epoch);
    }
  }

  Random random_;
  Forger forger_;
  Time now_{1ms};
  Token next_ = 1;
  std::vector<std::byte> memory_ = std::vector<std::byte>(5'000);
  Ledger& ledger_;
  Endpoint endpoint_;
};

TEST(ForgedPackets, EveryMessageCallPutAndGetEndsExactlyOnce) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Ledger ledger;
    {
      Victim victim(seed, ledger);
      for (int step = 0; step < 2'000; ++step) victim.live();
      victim.die_out();
    }
    EXPECT_TRUE(ledger.reserved.empty()) << ledger.reserved.size() << " pieces of memory were not handed back";
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace forged_test
}  // namespace ayatori::transport
