/// Messages of one connection, one after the other. Links of 100 bytes a second.

#include <gtest/gtest.h>

#include "ayatori/flow/simulate.hpp"
#include "flow_fixtures.hpp"

namespace ayatori::test {
namespace {

FlowOptions eager() {
  FlowOptions options;
  options.costs.between.eager_limit = 1 << 20;
  return options;
}

/// Rank 0 sends `chunks` eager chunks of 100 bytes to rank 1, which passes each one on to rank 2.
ListedSchedule pipeline(std::size_t chunks) {
  std::vector<std::map<Rank, RankStep>> steps(chunks + 1);
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    steps[chunk][0].sends.emplace_back(1, 100);
    steps[chunk][1].receives.push_back(0);
    steps[chunk + 1][1].sends.emplace_back(2, 100);
    steps[chunk + 1][2].receives.push_back(1);
  }
  return {3, steps};
}

TEST(SimulateConnections, TheFirstChunkOfAPipelineArrivesWhileTheOthersWait) {
  FlowOptions options = eager();
  EXPECT_NEAR(run(pipeline(4), one_switch(3, 100), options).seconds, 4 + 1, 1e-9);
  options.in_order = false;  // all four arrive after 4 s
  EXPECT_NEAR(run(pipeline(4), one_switch(3, 100), options).seconds, 4 + 4, 1e-9);
}

TEST(SimulateConnections, AnEagerMessageOvertakesOneThatWaitsForItsRendezvous) {
  FlowOptions options = eager();
  options.costs.between.eager_limit = 100;
  options.costs.between.rendezvous = 0.5;
  // Rank 1 passes on the second one, of 100 bytes, as soon as it is there: in the other order after 4 s.
  ListedSchedule::Steps streams(2);
  streams[0] = {{{0, {{{1, 300}}, {}}}, {1, {{}, {0}}}}};
  streams[1] = {{{0, {{{1, 100}}, {}}}, {1, {{}, {0}}}}, {{1, {{{2, 100}}, {}}}, {2, {{}, {1}}}}};
  const Prediction found = run(ListedSchedule(3, streams), one_switch(3, 100), options);
  EXPECT_NEAR(found.rank_seconds[2], 2, 1e-9);
  EXPECT_NEAR(found.seconds, 4, 1e-9);
}

TEST(SimulateConnections, OtherPairsAndTheOppositeDirectionDoNotWait) {
  expect_both(at_once(3, {{0, 1, 100}, {1, 0, 100}, {2, 0, 100}}), one_switch(3, 100), {}, 2);
  // 0 -> 1 has a half of what enters 1 as long as 2 -> 1 flows, whatever waits behind it.
  const auto both = at_once(3, {{0, 1, 100}, {0, 1, 100}, {2, 1, 100}});
  const Prediction found = run(both, one_switch(3, 100));
  EXPECT_NEAR(found.rank_seconds[2], 2, 1e-9);
  EXPECT_NEAR(found.rank_seconds[0], 3, 1e-9);
  FlowOptions options;
  options.in_order = false;
  EXPECT_NEAR(run(both, one_switch(3, 100), options).rank_seconds[2], 3, 1e-9);
}

TEST(SimulateConnections, PartsOnOtherPathsAreOnConnectionsOfTheirOwn) {
  ListedPaths paths({100, 50}, {0, 1}, {});
  paths.parts[{0, 1}] = {{{0}, 0, 1}, {{1}, 0, 1}};
  // Two messages of 200 bytes: on the slow path 100 bytes of each, one after the other.
  expect_both(at_once(2, {{0, 1, 200}, {0, 1, 200}}), paths, {}, 4);
}

TEST(SimulateConnections, LatencyIsWaitedForWhileDataFlow) {
  expect_both(at_once(2, {{0, 1, 100}, {0, 1, 100}}), one_switch(2, 100, 0.25), {}, 0.5 + 2);
}

TEST(SimulateConnections, WhatPassesATokenBucketAtOnceHoldsUpNone) {
  FlowOptions options = eager();
  options.costs.between.bandwidth = 100;
  options.costs.between.burst = 150;
  // 100 + 50 bytes at once, then 50, then 100.
  EXPECT_NEAR(run(at_once(2, {{0, 1, 100}, {0, 1, 100}, {0, 1, 100}}), one_switch(2, 1e9), options).seconds, 1.5, 1e-6);
}

TEST(SimulateConnections, AHeaderFlowsWithEachMessageBetweenMachinesThatHasBytes) {
  FlowOptions options;
  options.costs.between.header = 20;
  expect_both(at_once(2, {{0, 1, 100}, {0, 1, 100}}), one_switch(2, 100), options, 2.4);
  expect_both(at_once(2, {{0, 1, 0}}), one_switch(2, 100), options, 0);
  const Prediction found = run(at_once(2, {{0, 1, 100}}), one_switch(2, 100), options);
  EXPECT_EQ(found.network_bytes, 100U);
  options.costs.inside = options.costs.between;
  options.costs.inside.bandwidth = 100;
  expect_both(at_once(2, {{0, 1, 100}}), ListedPaths({}, {0, 0}, {}), options, 1);
}

TEST(SimulateConnections, MessagesInsideAMachineHaveThemToo) {
  FlowOptions options = eager();
  options.costs.inside.bandwidth = 100;
  options.costs.inside.eager_limit = 1 << 20;
  EXPECT_NEAR(run(pipeline(2), ListedPaths({}, {0, 0, 1}, {}), options).seconds, 2, 1e-9);
}

}  // namespace
}  // namespace ayatori::test
