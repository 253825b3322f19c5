/// Packets that queue: times that are known, what theory says of a switch, and a simulator without events.

#include "packet_fabric.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "../../base/thoroughness_fixtures.hpp"
#include "flow_fixtures.hpp"
#include "random_flow_fixtures.hpp"
#include "slow_packets_fixtures.hpp"

namespace ayatori::test {
namespace packet_fabric_test {

constexpr Bytes mtu = PacketOptions::mtu;

FlowOptions by_packets(std::uint32_t buffer = 8, std::uint64_t seed = 1) {
  FlowOptions options;
  options.packets = {.buffer = buffer, .seed = seed};
  return options;
}

std::string error_of(const Schedule& schedule, const Paths& paths, const FlowOptions& options) {
  const auto prediction = simulate(schedule, paths, options);
  EXPECT_FALSE(prediction);
  return prediction ? "" : prediction.error().message + ": " + prediction.error().cause;
}

/// One message over links of these rates.
Prediction over(const std::vector<double>& rates, Bytes bytes, const FlowOptions& options) {
  std::vector<std::uint32_t> path(rates.size());
  std::iota(path.begin(), path.end(), 0U);
  const ListedPaths paths(rates, {0, 1}, {{{0, 1}, path}});
  return run(at_once(2, {{0, 1, bytes}}), paths, options);
}

TEST(PacketFabric, AMessageAloneTakesAsLongAsAFlow) {
  Random random(1);
  for (int i = 0; i < 200; ++i) {
    std::vector<double> rates{1000.0 * static_cast<double>(1 + random.below(4))};
    const std::size_t links = 1 + random.below(6);
    // Not onto faster links, for which packets wait until they are whole.
    while (rates.size() < links)
      rates.push_back(std::min(rates.back(), 1000.0 * static_cast<double>(1 + random.below(4))));
    const Bytes bytes = 1 + random.below(20 * mtu);
    const auto buffer = static_cast<std::uint32_t>(1 + random.below(8));
    expect_seconds(over(rates, bytes, by_packets(buffer)), over(rates, bytes, {}).seconds);
  }
}

TEST(PacketFabric, APacketGoesOntoAFasterLinkWhenAllOfItIsThere) {
  expect_seconds(over({1000, 2000}, 10 * mtu, by_packets()), 10 * mtu / 1000.0 + mtu / 2000.0);
}

TEST(PacketFabric, MessagesThatShareALinkAlternate) {
  // Ranks 0 and 1 send to 2 and 3 over link 2, which each packet of theirs needs.
  const ListedPaths paths({1, 1, 1, 1, 1}, {0, 1, 2, 3}, {{{0, 2}, {0, 2, 3}}, {{1, 3}, {1, 2, 4}}});
  const Prediction both = run(at_once(4, {{0, 2, 100 * mtu}, {1, 3, 100 * mtu}}), paths, by_packets());
  expect_seconds(both, 200 * mtu);
  ASSERT_FALSE(both.hot_links.empty());
  EXPECT_EQ(both.hot_links[0].link, 2U);
  EXPECT_GT(both.hot_links[0].saturated, 0.8);
  EXPECT_EQ(both.hot_links[0].bytes, 200 * mtu);
}

TEST(PacketFabric, WhoWaitsHoldsUpThoseBehind) {
  // 0 → 4 and 1 → 5 share link 8; 2 and 3 send to 4 as well, over links of their own. By rates 1 → 5 has 2/3 of link 8,
  // as 0 → 4 gets no more than a third of link 4. In the buffer of link 8 packets of both
  // alternate: one that waits for link 4, a third of the time, and one behind it.
  const ListedPaths paths(std::vector<double>(9, 1), {0, 1, 2, 3, 4, 5},
                          {{{0, 4}, {0, 8, 4}}, {{1, 5}, {1, 8, 5}}, {{2, 4}, {2, 4}}, {{3, 4}, {3, 4}}});
  const Bytes bytes = 600 * mtu;
  const ListedSchedule schedule = at_once(6, {{0, 4, bytes}, {1, 5, bytes}, {2, 4, bytes}, {3, 4, bytes}});
  const double by_rates = run(schedule, paths).rank_seconds[1];
  EXPECT_NEAR(by_rates, bytes * 1.5, 1);
  const double queued = run(schedule, paths, by_packets()).rank_seconds[1];
  EXPECT_GT(queued, bytes * 3);
  EXPECT_LT(queued, bytes * 4);
}

/// What a switch of so many ports carries of uniform traffic if its inputs are saturated: packets for each port's slot.
double carried(std::uint32_t ports, std::uint64_t seed) {
  PacketFabric fabric(std::vector<double>(std::size_t{ports} * 2, mtu), {.buffer = 8, .seed = seed});
  Random random(seed);
  constexpr std::uint32_t slots = 4000;
  for (std::uint32_t in = 0; in < ports; ++in) {
    for (std::uint32_t packet = 0; packet < slots; ++packet) {
      const auto out = static_cast<std::uint32_t>(random.below(ports));
      fabric.add({{{2 * in, 2 * out + 1}}}, mtu);
    }
  }
  double arrived = 0;
  double now = 0;
  while ((now = fabric.advance(now, slots)) <= slots) {
    while (fabric.take_arrived()) ++arrived;
  }
  return arrived / ports / slots;
}

/// M. Karol, M. Hluchyj, S. Morgan, Input Versus Output Queueing on a Space-Division Packet Switch, 1987, table I: with
/// queues at the inputs, first in, first out. Paper 1 refers to it.
TEST(PacketFabric, ASwitchWithQueuesAtItsInputsCarriesWhatTheorySays) {
  EXPECT_NEAR(carried(2, 1), 0.75, 0.01);
  EXPECT_NEAR(carried(4, 2), 0.6553, 0.01);
  EXPECT_NEAR(carried(8, 3), 0.6184, 0.01);
}

std::vector<SlowPackets::Message> random_messages(Random& random, std::uint32_t links) {
  std::vector<SlowPackets::Message> messages(3 + random.below(12));
  for (auto& [path, packets] : messages) {
    path.resize(links);
    std::iota(path.begin(), path.end(), 0U);
    random.shuffle(std::span(path));
    path.resize(1 + random.below(std::min(links, 4U)));
    std::ranges::sort(path);  // so that no packets wait for each other in a cycle
    packets = 20 + random.below(60);
  }
  return messages;
}

/// By message, when it arrives: seconds are slots.
std::vector<double> ends_of(const std::vector<SlowPackets::Message>& messages, std::uint32_t links,
                            const PacketOptions& options) {
  PacketFabric fabric(std::vector<double>(links, mtu), options);
  std::vector<FlowId> ids;
  for (const auto& [path, packets] : messages) ids.push_back(fabric.add({{path}}, packets * mtu));
  std::vector<double> ends(messages.size(), 0);
  double now = 0;
  while (std::isfinite(now = fabric.advance(now, std::numeric_limits<double>::infinity()))) {
    while (const auto id = fabric.take_arrived()) ends[std::ranges::find(ids, *id) - ids.begin()] = now;
  }
  EXPECT_TRUE(fabric.empty());
  return ends;
}

TEST(PacketFabric, EqualsASimulatorWithoutEventsOnAverage) {
  const std::uint64_t draws = test::tries(10U, 100U);
  for (std::uint64_t seed = 1; seed <= draws; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto links = static_cast<std::uint32_t>(3 + random.below(8));
    const auto buffer = static_cast<std::uint32_t>(1 + random.below(6));
    const auto messages = random_messages(random, links);
    std::vector<double> ours(messages.size(), 0);
    std::vector<double> slow(messages.size(), 0);
    constexpr std::uint64_t runs = 200;
    for (std::uint64_t run = 0; run < runs; ++run) {
      const auto ends = ends_of(messages, links, {.buffer = buffer, .seed = seed * 1000 + run});
      const auto slots = SlowPackets(links, messages, buffer, seed * 1000 + run).run();
      for (std::size_t m = 0; m < messages.size(); ++m) {
        ours[m] += ends[m] / runs;
        slow[m] += static_cast<double>(slots[m]) / runs;
      }
    }
    double sum_ours = 0;
    double sum_slow = 0;
    for (std::size_t m = 0; m < messages.size(); ++m) {
      EXPECT_NEAR(ours[m], slow[m], 0.1 * slow[m] + 3) << m;
      sum_ours += ours[m];
      sum_slow += slow[m];
    }
    EXPECT_NEAR(sum_ours, sum_slow, 0.02 * sum_slow);
    if (HasFailure()) return;
  }
}

/// Of random schedules on random links, of random rates: every message arrives, over its links, and no link carries
/// more than it can. The paths have links in the order of their numbers, so that no cycle can be full.
TEST(PacketFabric, NothingIsLostAndNoLinkIsFasterThanItIs) {
  std::size_t simulated = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto ranks = static_cast<Rank>(2 + random.below(7));
    ListedPaths paths = random_paths(random, ranks);
    for (auto& [pair, links] : paths.paths) std::ranges::sort(links);
    for (auto& [pair, parts] : paths.parts) {
      for (PartPath& part : parts) std::ranges::sort(part.links);
    }
    FlowOptions options = random_options(random);
    const ListedSchedule schedule = random_schedule(random, ranks);
    const auto by_rates = simulate(schedule, paths, options);
    options.packets = {.buffer = static_cast<std::uint32_t>(1 + random.below(8)), .seed = seed};
    const auto queued = simulate(schedule, paths, options);
    ASSERT_EQ(by_rates.has_value(), queued.has_value());
    if (!queued) continue;
    ++simulated;
    EXPECT_EQ(queued->messages, by_rates->messages);
    EXPECT_EQ(queued->network_bytes, by_rates->network_bytes);
    for (const HotLinkTime& link : queued->hot_links) {
      EXPECT_LE(link.busy, 1 + 1e-9);
      EXPECT_LE(link.saturated, 1 + 1e-9);
    }
    EXPECT_EQ(simulate(schedule, paths, options)->rank_seconds, queued->rank_seconds);
    if (HasFailure()) return;
  }
  EXPECT_GT(simulated, 100U);
}

TEST(PacketFabric, PacketsInACycleOfFullBuffersAreAnError) {
  // Four links in a ring; each rank's messages take three of them.
  std::map<std::pair<Rank, Rank>, std::vector<std::uint32_t>> ring;
  for (Rank rank = 0; rank < 4; ++rank) ring[{rank, (rank + 3) % 4}] = {rank, (rank + 1) % 4, (rank + 2) % 4};
  const ListedPaths paths({1, 1, 1, 1}, {0, 1, 2, 3}, ring);
  const Bytes bytes = 100 * mtu;
  const ListedSchedule schedule = at_once(4, {{0, 3, bytes}, {1, 0, bytes}, {2, 1, bytes}, {3, 2, bytes}});
  EXPECT_EQ(
      error_of(schedule, paths, by_packets(2)),
      "packets wait for each other, and none can go on: the buffers of 4 links are full in a cycle, from link 0 on");
}

TEST(PacketFabric, TheSeedIsAllThatIsRandom) {
  const ListedPaths paths = one_switch(8, 1e9);
  std::map<Rank, RankStep> step;
  Random random(7);
  for (int message = 0; message < 60; ++message) {
    const auto from = static_cast<Rank>(random.below(8));
    const auto to = static_cast<Rank>((from + 1 + random.below(7)) % 8);
    step[from].sends.emplace_back(to, 5 * mtu + static_cast<Bytes>(message));
    step[to].receives.push_back(from);
  }
  const ListedSchedule schedule(8, {step});
  const auto ends = [&](std::uint64_t seed) { return run(schedule, paths, by_packets(4, seed)).rank_seconds; };
  EXPECT_EQ(ends(1), ends(1));
  EXPECT_NE(ends(1), ends(2));
}

TEST(PacketFabric, WhatIsNotModelledIsRefused) {
  const ListedPaths paths = one_switch(2, 1);
  const ListedSchedule schedule = at_once(2, {{0, 1, mtu}});
  const auto refused = [&](const std::function<void(FlowOptions&)>& change) {
    FlowOptions options = by_packets();
    change(options);
    return error_of(schedule, paths, options);
  };
  EXPECT_EQ(refused([](auto& options) { options.packets->buffer = 0; }),
            "a link has a buffer for 1 to 64 packets, not for 0: ");
  EXPECT_EQ(refused([](auto& options) { options.packets->buffer = 65; }),
            "a link has a buffer for 1 to 64 packets, not for 65: ");
  EXPECT_EQ(refused([](auto& options) { options.head_of_line = true; }),
            "head-of-line blocking is of rates, and packets block each other anyway: ");
  EXPECT_EQ(refused([](auto& options) { options.steps = StepMode::synchronous; }),
            "packets are simulated in steps that drift only: ");
  EXPECT_EQ(refused([](auto& options) { options.background = {{{0}, 1}}; }),
            "background traffic has rates, and packets have none: ");
}

}  // namespace packet_fabric_test
}  // namespace ayatori::test
