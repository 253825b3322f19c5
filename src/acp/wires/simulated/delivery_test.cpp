// Every message once, in order, unaltered; every call once: whatever the network does and whichever contexts are given
// up.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "ayatori/base/text.hpp"
#include "town_fixtures.hpp"

namespace ayatori::simulated {
namespace {

using namespace std::chrono_literals;

void expect_all_arrived(const Town& town, const Sent& sent) {
  std::uint64_t delivered = 0;
  std::uint64_t results = 0;
  std::uint64_t called = 0;
  for (PeerId peer = 0; peer < town.peers.size(); ++peer) {
    const TestPeer& at = *town.peers[peer];
    EXPECT_EQ(at.problem, "");
    EXPECT_EQ(at.counter, sent.calls[peer]);
    EXPECT_EQ(at.duplicate_results, 0U);
    EXPECT_EQ(at.failures, 0U);
    EXPECT_TRUE(at.lost_peers.empty());
    EXPECT_EQ(at.reserved_bytes, 0U);
    delivered += at.delivered;
    results += at.results.size();
    called += sent.calls[peer];
  }
  EXPECT_EQ(delivered, sent.messages);
  EXPECT_EQ(results, called);
}

/// AYATORI_SOAK=5000 makes 200 seeds of 5000 messages and calls each, a million in all, for when nobody waits.
std::uint64_t messages_a_seed() {
  const char* asked = std::getenv("AYATORI_SOAK");
  return asked ? parse_unsigned<std::uint64_t>(asked).value_or(200) : 200;
}

class Seeds : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Seeds, EveryMessageArrivesOnceAndInOrder) {
  for (std::uint64_t seed = GetParam() * 20; seed < GetParam() * 20 + 20; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    Town town(hostile(seed), cramped(seed), static_cast<PeerId>(2 + seed % 6));
    const Sent sent = chatter(town, messages_a_seed(), random);
    ASSERT_TRUE(town.network.run_until([&] { return town.all_done(); }, town.network.now() + 60s));
    expect_all_arrived(town, sent);
    if (testing::Test::HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Hostile, Seeds, testing::Range<std::uint64_t>(0, 10));

TEST(ShortMessages, AreCoalescedIntoFewerPackets) {
  Scenario scenario = hostile(4);
  Town town(scenario, cramped(4), 2);
  for (int i = 0; i < 2000; ++i) town.peers[0]->send(1, 30, i % 50 < 40 ? Order::ordered : Order::unordered);
  ASSERT_TRUE(town.network.run_until([&] { return town.all_done(); }, Time(60s)));
  expect_all_arrived(town, {2000, {0, 0}});
  EXPECT_LT(town.peers[0]->endpoint().statistics().data_packets, 2000U * 2 / 3);
}

TEST(LongMessages, ArriveWholeAmongShortOnes) {
  Scenario scenario = hostile(3);
  scenario.receive_buffers = 16;
  Town town(scenario, {}, 2);
  town.peers[1]->memory_limit = std::size_t{4} << 20;
  town.peers[0]->send(1, 1'000'000);
  town.peers[0]->send(1, 0);
  town.peers[0]->send(1, 500'000, Order::unordered);
  town.peers[0]->send(1, 10);
  ASSERT_TRUE(town.network.run_until([&] { return town.all_done(); }, Time(60s)));
  expect_all_arrived(town, {4, {0, 0}});
}

TEST(LostPeer, ItsMessagesFailAndItsContextIsFreed) {
  Options options;
  options.give_up_after = 1s;
  Town town({}, options, 3);
  town.peers[0]->send(1, 100);
  ASSERT_TRUE(town.network.run_until([&] { return town.all_done(); }, Time(1s)));
  const Time heard = town.network.now();
  town.network.scenario().black_holes.push_back({.peer = 1, .from = heard});
  town.peers[0]->send(1, 5000);
  town.peers[0]->call_add(1);
  town.peers[0]->send(2, 5000);
  ASSERT_TRUE(town.network.run_until([&] { return town.all_done(); }, Time(20s)));
  EXPECT_EQ(town.peers[0]->failures, 2U);
  ASSERT_TRUE(town.peers[0]->lost_peers.contains(1));
  EXPECT_LE(town.peers[0]->lost_peers[1], heard);
  EXPECT_EQ(town.peers[0]->lost_peers.size(), 1U);
  EXPECT_EQ(town.peers[2]->delivered, 1U);
}

TEST(LostPeer, FreesAHalfReceivedMessage) {
  Options options;
  options.give_up_after = 1s;
  Town town({}, options, 2);
  town.peers[1]->memory_limit = std::size_t{4} << 20;
  town.peers[0]->send(1, 1'000'000);
  ASSERT_TRUE(town.network.run_until([&] { return town.peers[1]->reserved_bytes > 0; }, Time(1s)));
  town.network.detach(0);
  ASSERT_TRUE(town.network.run_until([&] { return !town.peers[1]->lost_peers.empty(); }, Time(20s)));
  EXPECT_EQ(town.peers[1]->reserved_bytes, 0U);
  EXPECT_EQ(town.peers[1]->endpoint().incoming_contexts(), 0U);
}

TEST(StoppedPeer, LosesNothingWhenItGoesOn) {
  Town town({}, {}, 2);
  town.network.scenario().black_holes.push_back({.peer = 1, .from = Time(10us), .until = Time(20s)});
  for (int i = 0; i < 100; ++i) town.peers[0]->send(1, 1000);
  ASSERT_TRUE(town.network.run_until([&] { return town.all_done(); }, Time(40s)));
  expect_all_arrived(town, {100, {0, 0}});
}

TEST(Strangers, ChangeNothing) {
  Network network({});
  TestPeer ours(network, 0, {}, 42);
  TestPeer stranger(network, 1, {}, 43);
  stranger.send(0, 100);
  network.run_until([] { return false; }, Time(100ms));
  EXPECT_GT(ours.endpoint().statistics().strangers, 0U);
  EXPECT_EQ(ours.endpoint().statistics().received, 0U);
  EXPECT_EQ(ours.endpoint().incoming_contexts(), 0U);
  EXPECT_EQ(ours.delivered, 0U);
}

}  // namespace
}  // namespace ayatori::simulated
