// What an observer sees of puts, gets and express packets. src/acp/wires/simulated/observer_test.cpp has flows.

#include "ayatori/transport/observer.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <vector>

#include "ayatori/base/random.hpp"
#include "ayatori/transport/endpoint.hpp"

namespace ayatori::transport {
namespace observer_test {

using namespace std::chrono_literals;

/// Memory that peers may use, and a count of what has ended.
struct Memory final : Application {
  std::byte* reserve(PeerId, Bytes, Urgency) override { return nullptr; }
  void deliver(PeerId, std::span<const std::byte>, std::byte*) override { ++delivered; }
  void release(std::byte*) override {}
  bool write(PeerId, const RemoteRange&, std::span<const std::byte>) override { return true; }
  std::optional<std::span<const std::byte>> read(PeerId, const RemoteRange& range) override {
    return std::span<const std::byte>(bytes).first(range.size);
  }
  void completed(Token) override { ++ended; }
  void failed(Token) override { ++ended; }

  std::array<std::byte, 4096> bytes{};
  std::uint32_t delivered = 0;
  std::uint32_t ended = 0;
};

/// Follows each copy of a put or get, which its number names, from sending to its end.
struct Copies final : Observer {
  enum class Status : std::uint8_t { in_flight, lost, acknowledged };

  void packet_sent(Time, const PacketSeen& packet) override {
    ++sent[packet.kind];
    if (packet.kind != PacketKind::put && packet.kind != PacketKind::get) return;
    EXPECT_TRUE(copies.emplace(packet.flow.epoch, Status::in_flight).second) << "a number was used twice";
  }
  void packet_lost(Time, const FlowName& flow, Sequence, LossReason) override {
    EXPECT_EQ(copies.at(flow.epoch), Status::in_flight);
    copies[flow.epoch] = Status::lost;
  }
  void packet_acknowledged(Time, const FlowName& flow, Sequence, bool late) override {
    EXPECT_EQ(copies.at(flow.epoch), late ? Status::lost : Status::in_flight);
    copies[flow.epoch] = Status::acknowledged;
  }

  [[nodiscard]] std::uint64_t count(Status status) const {
    const auto is = [&](const auto& copy) { return copy.second == status; };
    return static_cast<std::uint64_t>(std::ranges::count_if(copies, is));
  }

  std::map<Epoch, Status> copies;
  std::map<PacketKind, std::uint64_t> sent;
};

/// Two endpoints whose datagrams are dropped by chance.
struct LossyPair {
  explicit LossyPair(std::uint64_t seed, const Options& options = {})
      : random(seed),
        here(*Endpoint::make({.self = 0, .key = 1, .seed = seed}, options, here_above)),
        there(*Endpoint::make({.self = 1, .key = 1, .seed = seed + 1}, options, there_above)) {
    here.observe(&observer);
  }

  void carry(Endpoint& from, Endpoint& to, double drop) {
    while (const auto datagram = from.next_packet(now)) {
      if (random.fraction() < drop) continue;
      std::vector<std::byte> bytes(datagram->header.begin(), datagram->header.end());
      bytes.insert(bytes.end(), datagram->payload.begin(), datagram->payload.end());
      to.receive(now, bytes);
    }
  }

  /// Until so many operations have ended, for a minute of their time at most.
  void run(std::uint32_t ended, double drop) {
    for (const Time end = now + 60s; here_above.ended < ended && now < end; now += 20us) {
      carry(here, there, drop);
      carry(there, here, drop);
      if (here.next_deadline() <= now) here.advance(now);
    }
  }

  Random random;
  Memory here_above, there_above;
  Copies observer;
  Endpoint here, there;
  Time now{1ms};
};

TEST(EndpointObserver, EveryCopyOfAPutOrGetIsAcknowledgedOrLost) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    LossyPair pair(seed);
    std::vector<std::byte> memory(20'000);
    for (Token token = 0; token < 20; ++token) {
      const std::size_t size = 1 + pair.random.below(4'000);
      const auto part = std::span(memory).first(size);
      ASSERT_TRUE(token % 2 == 0 ? pair.here.put(pair.now, 1, {}, part, token)
                                 : pair.here.get(pair.now, 1, {}, part, token));
    }
    pair.run(20, 0.2);
    EXPECT_EQ(pair.here_above.ended, 20U);
    const Copies& seen = pair.observer;
    const Statistics& statistics = pair.here.statistics();
    EXPECT_EQ(seen.copies.size(), statistics.operation_packets + statistics.operations_again);
    EXPECT_EQ(seen.count(Copies::Status::in_flight), 0U);
    if (HasFailure()) return;
  }
}

TEST(EndpointObserver, CopiesInFlightToALostPeerAreLost) {
  Options options;
  options.give_up_after = 10ms;
  LossyPair pair(1, options);
  std::vector<std::byte> memory(3'000);
  for (Token token = 0; token < 4; ++token) ASSERT_TRUE(pair.here.put(pair.now, 1, {}, memory, token));
  pair.run(4, 1);
  EXPECT_EQ(pair.here_above.ended, 4U);
  EXPECT_EQ(pair.observer.count(Copies::Status::lost), pair.observer.copies.size());
  EXPECT_GT(pair.observer.copies.size(), 4U);
}

TEST(EndpointObserver, ExpressPacketIsSentWhenTheWireTookIt) {
  LossyPair pair(1);
  pair.here.use_express([](PeerId) { return true; });
  const std::array message{std::byte{1}};
  ASSERT_TRUE(pair.here.send(pair.now, 1, message, 0));
  ASSERT_TRUE(pair.here.next_express());
  pair.here.settle_express(pair.now, false);
  EXPECT_EQ(pair.observer.sent[PacketKind::express], 0U);
  pair.now = pair.here.next_deadline();
  pair.here.advance(pair.now);
  ASSERT_TRUE(pair.here.next_express());
  pair.here.settle_express(pair.now, true);
  EXPECT_EQ(pair.observer.sent[PacketKind::express], 1U);
}

TEST(EndpointObserver, NoneIsReportedAfterItWasReplacedByNone) {
  LossyPair pair(1);
  pair.here.observe(nullptr);
  const std::array message{std::byte{1}};
  ASSERT_TRUE(pair.here.send(pair.now, 1, message, 0));
  pair.carry(pair.here, pair.there, 0);
  EXPECT_EQ(pair.there_above.delivered, 1U);
  EXPECT_TRUE(pair.observer.sent.empty());
}

}  // namespace observer_test
}  // namespace ayatori::transport
