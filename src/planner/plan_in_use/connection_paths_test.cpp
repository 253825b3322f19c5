#include "ayatori/plan_in_use/connection_paths.hpp"

#include <gtest/gtest.h>

#include <set>

#include "ayatori/base/random.hpp"

namespace ayatori {
namespace {

/// `ranks` ranks on each of `ports` ports, with LIDs 16, 32, … and random path bits for each pair.
PlanFile random_plan(Rank ports, Rank ranks, int lmc, Random& random) {
  PlanFile file;
  file.lmc = lmc;
  for (Rank port = 0; port < ports; ++port) {
    file.machines.push_back({"n" + std::to_string(port), ranks});
    for (Rank i = 0; i < ranks; ++i) file.ranks.push_back({0x1000 + port, static_cast<Lid>(128 * (port + 1))});
  }
  std::vector<std::uint8_t> bits(std::size_t{ports} * ranks * ports * ranks);
  for (auto& each : bits) each = static_cast<std::uint8_t>(random.below(1U << lmc));
  file.plan = Plan::per_pair(ports * ranks, std::move(bits));
  return file;
}

std::uint32_t below(Random& random, std::uint32_t end) { return static_cast<std::uint32_t>(random.below(end)); }

TEST(ConnectionPaths, OneRankAPortGetsThePlannedPathInBothDirections) {
  Random random(1);
  const PlanFile file = random_plan(7, 1, 3, random);
  ConnectionPaths paths(file, 1);
  for (JobPort from = 0; from < 7; ++from) {
    for (JobPort to = 0; to < 7; ++to) {
      if (from == to) continue;
      const PlannedAddress expected = {static_cast<Lid>(128 * (to + 1) + file.plan.path_bits(from, to)),
                                       file.plan.path_bits(to, from)};
      EXPECT_EQ(paths.of_queue_pair(from, to, below(random, 1U << 24), below(random, 1U << 24)), expected);
      EXPECT_EQ(paths.of_handle(from, to, below(random, 1U << 24)), expected);
    }
  }
}

TEST(ConnectionPaths, BothEndsOfAQueuePairTakeTheSamePath) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    ConnectionPaths here(random_plan(5, 1 + below(random, 4), 4, random), 1 + below(random, 5));
    ConnectionPaths there = here;
    for (int i = 0; i < 200; ++i) {
      const JobPort from = below(random, 5);
      const JobPort to = (from + 1 + below(random, 4)) % 5;
      const std::uint32_t own = below(random, 1U << 24);
      const std::uint32_t peers = below(random, 1U << 24);
      const PlannedAddress a = here.of_queue_pair(from, to, own, peers);
      const PlannedAddress b = there.of_queue_pair(to, from, peers, own);
      EXPECT_EQ(a.dlid, there.base_lid(to) + b.source_path_bits);
      EXPECT_EQ(b.dlid, here.base_lid(from) + a.source_path_bits);
    }
  }
}

TEST(ConnectionPaths, QueuePairsInARowTakeEachPathOfTheRanksOnTheirPorts) {
  Random random(3);
  const PlanFile file = random_plan(2, 3, 4, random);
  ConnectionPaths paths(file, 1);
  std::set<PathBits> planned;
  for (Rank from = 0; from < 3; ++from) {
    for (Rank to = 3; to < 6; ++to) planned.insert({file.plan.path_bits(from, to), file.plan.path_bits(to, from)});
  }
  std::set<PathBits> taken;
  for (std::uint32_t number = 70; number < 70 + planned.size(); ++number) {
    const PlannedAddress address = paths.of_queue_pair(0, 1, number, 99);
    taken.insert({static_cast<std::uint8_t>(address.dlid - 256), address.source_path_bits});
  }
  EXPECT_EQ(taken, planned);
}

TEST(ConnectionPaths, MorePathsThanPlannedFollowThePlannedOne) {
  PlanFile file;
  file.lmc = 2;
  file.machines = {{"a", 1}, {"b", 1}};
  file.ranks = {{1, 4}, {2, 8}};
  file.plan = Plan::per_destination(Method::rule, {1, 2});
  ConnectionPaths paths(file, 4);
  const auto between = paths.between(0, 1);
  // The plan uses path bits 0 to 2: there is no fourth path.
  EXPECT_EQ(std::vector<PathBits>(between.begin(), between.end()), (std::vector<PathBits>{{2, 1}, {0, 2}, {1, 0}}));
  EXPECT_EQ(paths.of_queue_pair(1, 0, 5, 3), (PlannedAddress{.dlid = 5, .source_path_bits = 2}));
}

TEST(ConnectionPaths, PeersAreKnownByAnyOfTheirLidsAndByNothingElse) {
  Random random(4);
  ConnectionPaths paths(random_plan(3, 1, 3, random), 1);
  EXPECT_EQ(paths.find_peer(0, {.lid = 256, .port_guid = {}}), 1);
  EXPECT_EQ(paths.find_peer(0, {.lid = 263, .port_guid = 0x1001}), 1);
  EXPECT_EQ(paths.find_peer(0, {.lid = 263, .port_guid = 0x9999}), 1);  // an alias GUID
  EXPECT_EQ(paths.find_peer(0, {.lid = 264, .port_guid = {}}), std::nullopt);
  EXPECT_EQ(paths.find_peer(0, {.lid = 0, .port_guid = 0x1001}), std::nullopt);
  EXPECT_EQ(paths.find_peer(0, {.lid = 0xC001, .port_guid = {}}), std::nullopt);  // multicast
  EXPECT_EQ(paths.find_peer(0, {.lid = 256, .port_guid = 0x1002}), std::nullopt);
  EXPECT_EQ(paths.find_peer(1, {.lid = 256, .port_guid = {}}), std::nullopt);  // ourselves
}

TEST(ConnectionPaths, LidsOfTwoSubnetsNeedAGid) {
  PlanFile file;
  file.lmc = 1;
  file.machines = {{"a", 2}, {"b", 2}};
  file.ranks = {{1, 4}, {2, 4}, {3, 8}, {4, 10}};
  file.plan = Plan::per_destination(Method::colour, {0, 1, 1, 0});
  const ConnectionPaths paths(file, 1);
  EXPECT_EQ(paths.find_peer(2, {.lid = 5, .port_guid = {}}), std::nullopt);
  EXPECT_EQ(paths.find_peer(2, {.lid = 5, .port_guid = 2}), 1);
  // Port 0 cannot be distinguished by the others without a GID, so it doesn't begin by itself.
  EXPECT_EQ(paths.find_peer(0, {.lid = 8, .port_guid = {}}), std::nullopt);
  EXPECT_EQ(paths.find_peer(0, {.lid = 8, .port_guid = 3}), 2);
}

TEST(ConnectionPaths, LocalPortsMustBeAsPlanned) {
  Random random(5);
  const ConnectionPaths paths(random_plan(3, 2, 3, random), 1);
  EXPECT_EQ(paths.find_local({0x1002, 384, 3}).value(), 2);
  EXPECT_EQ(paths.find_local({0, 384, 3}).value(), 2);
  EXPECT_EQ(paths.find_local({0x7777, 384, 3}).value(), std::nullopt);  // another port has this LID now
  EXPECT_EQ(paths.find_local({0x7777, 9000, 3}).value(), std::nullopt);
  EXPECT_FALSE(paths.find_local({0x1002, 256, 3}).has_value());
  EXPECT_FALSE(paths.find_local({0x1002, 384, 0}).has_value());
}

TEST(ConnectionPaths, OneLidAPortLeavesNothingToChoose) {
  Random random(6);
  EXPECT_FALSE(ConnectionPaths(random_plan(3, 1, 0, random), 1).has_choice());
  EXPECT_TRUE(ConnectionPaths(random_plan(3, 1, 1, random), 1).has_choice());
}

}  // namespace
}  // namespace ayatori
