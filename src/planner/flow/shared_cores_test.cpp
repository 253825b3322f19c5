/// Ranks that share cores, as there are more of them on a machine.

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "ayatori/base/random.hpp"
#include "ayatori/flow/simulate.hpp"
#include "flow_fixtures.hpp"

namespace ayatori::test {
namespace {

ListedPaths one_machine(Rank ranks) { return {{}, std::vector<std::uint32_t>(ranks, 0), {}}; }

FlowOptions with_cores(std::uint32_t cores) {
  FlowOptions options;
  options.costs.cores = cores;
  options.costs.inside.eager_limit = options.costs.between.eager_limit = 1000;
  return options;
}

TEST(SimulateSharedCores, LocalOperationsOfFiveRanksTakeThreeSlotsOnTwoCores) {
  std::map<Rank, RankStep> step;
  for (Rank rank = 0; rank < 5; ++rank) step[rank].copies = 100;
  const ListedSchedule schedule(5, {step});
  for (const auto& [cores, slots] : {std::pair{0U, 1.0}, {1U, 5.0}, {2U, 3.0}, {4U, 2.0}, {5U, 1.0}, {9U, 1.0}}) {
    FlowOptions options = with_cores(cores);
    options.costs.copy = bytes_a_second(100);
    EXPECT_NEAR(run(schedule, one_machine(5), options).seconds, slots, 1e-9) << cores << " cores";
  }
}

/// Rank 0 sends for 1 s, waits 0.5 s of latency, and rank 1 receives for 2 s: nobody else needs a core.
TEST(SimulateSharedCores, AMessageWaitsASchedulingDelayForEachPairOfRanksOfACore) {
  const ListedSchedule schedule = at_once(4, {{0, 1, 10}});
  const auto seconds = [&](std::uint32_t cores) {
    FlowOptions options = with_cores(cores);
    options.costs.inside.send = {{0, 1, 0}};
    options.costs.inside.latency = 0.5;
    options.costs.inside.receive = {{0, 2, 0}};
    options.costs.scheduling_delay = {{0, 0.125, 0}};
    return run(schedule, one_machine(4), options).seconds;
  };
  EXPECT_NEAR(seconds(0), 3.5, 1e-9);
  EXPECT_NEAR(seconds(4), 3.5, 1e-9);
  EXPECT_NEAR(seconds(3), 3.5 + 0.125 * 2 / 3, 1e-9);
  EXPECT_NEAR(seconds(2), 3.5 + 0.125, 1e-9);
  EXPECT_NEAR(seconds(1), 3.5 + 0.125 * 2, 1e-9);
}

TEST(SimulateSharedCores, TheSchedulingDelayDependsOnTheSize) {
  FlowOptions options = with_cores(2);
  options.costs.scheduling_delay = {{0, 0.125, 0}, {100, 0, 0.25}};
  const auto seconds = [&](Bytes bytes) { return run(at_once(4, {{0, 1, bytes}}), one_machine(4), options).seconds; };
  EXPECT_NEAR(seconds(99), 0.125, 1e-9);
  EXPECT_NEAR(seconds(100), 25, 1e-9);
}

TEST(SimulateSharedCores, RanksThatShareACoreBeginLater) {
  const ListedSchedule schedule = at_once(4, {{0, 1, 10}});
  FlowOptions options = with_cores(2);
  options.costs.inside.latency = 0.5;
  options.costs.start_skew = 0.25;
  EXPECT_NEAR(run(schedule, one_machine(4), options).seconds, 0.5 + 0.25, 1e-9);
  options.costs.cores = 1;
  EXPECT_NEAR(run(schedule, one_machine(4), options).seconds, 0.5 + 3 * 0.25, 1e-9);
  options.costs.cores = 4;
  EXPECT_NEAR(run(schedule, one_machine(4), options).seconds, 0.5, 1e-9);
}

TEST(SimulateSharedCores, OnlyTheMachineOfTheReceiverCounts) {
  ListedPaths paths = one_switch(3, 1000);
  paths.machines = {0, 1, 1};
  FlowOptions options = with_cores(1);
  options.costs.oversubscription = {{0, 100, 0}};  // of messages within a machine
  options.costs.scheduling_delay = {{0, 0.25, 0}};
  EXPECT_NEAR(run(at_once(3, {{0, 1, 1000}}), paths, options).seconds, 1.25, 1e-9);
  EXPECT_NEAR(run(at_once(3, {{1, 0, 1000}}), paths, options).seconds, 1, 1e-9);
}

/// What ranks 0 and 1 exchange takes 0.5 s to receive, and 0.25 s more where two share a core; with one core for all
/// four, twice as much more, and one receives after the other.
TEST(SimulateSharedCores, MessagesOfRanksThatShareCoresTakeLongerToReceive) {
  const ListedSchedule schedule = at_once(4, {{0, 1, 10}, {1, 0, 10}});
  FlowOptions options = with_cores(4);
  options.costs.inside.eager_limit = 10;
  options.costs.inside.receive = {{0, 0.5, 0}};
  options.costs.oversubscription = {{0, 0.25, 0}};
  EXPECT_NEAR(run(schedule, one_machine(4), options).seconds, 0.5, 1e-9);
  options.costs.cores = 2;
  EXPECT_NEAR(run(schedule, one_machine(4), options).seconds, 0.75, 1e-9);
  options.costs.cores = 1;
  EXPECT_NEAR(run(schedule, one_machine(4), options).seconds, 2 * (0.5 + 2 * 0.25), 1e-9);
}

/// Rank 1 has the message after the scheduling delay, and rank 0 is done one such delay later, if it waits for that.
TEST(SimulateSharedCores, TheSenderOfALargeMessageWaitsForItsCoreToo) {
  FlowOptions options = with_cores(2);
  options.costs.inside.eager_limit = 100;
  options.costs.scheduling_delay = {{0, 0.25, 0}};
  const auto seconds = [&](Bytes bytes) {
    const Prediction prediction = run(at_once(4, {{0, 1, bytes}}), one_machine(4), options);
    return std::pair(prediction.rank_seconds[0], prediction.rank_seconds[1]);
  };
  EXPECT_EQ(seconds(100), std::pair(0.0, 0.25));
  EXPECT_EQ(seconds(101), std::pair(0.5, 0.25));
}

TEST(SimulateSharedCores, SynchronousStepsAreRefusedAndSoAreNegativeTimes) {
  const ListedSchedule schedule = at_once(3, {{0, 1, 10}});
  FlowOptions options = with_cores(2);
  options.steps = StepMode::synchronous;
  EXPECT_FALSE(simulate(schedule, one_machine(3), options));
  options.costs.cores = 3;
  EXPECT_TRUE(simulate(schedule, one_machine(3), options));
  options.costs.scheduling_delay = {{0, -1, 0}};
  EXPECT_FALSE(simulate(schedule, one_machine(3), options));
  options.costs.scheduling_delay = {};
  options.costs.oversubscription = {{0, -1, 0}};
  EXPECT_FALSE(simulate(schedule, one_machine(3), options));
}

/// When each rank is done: again and again, who has waited longest of those whose own operation is over takes a core.
std::vector<double> by_hand(const std::vector<std::vector<double>>& operations, std::uint32_t cores) {
  struct Waiting {
    double since;
    Rank rank;
  };
  std::vector<double> done(operations.size(), 0);
  std::vector<std::size_t> next(operations.size(), 0);
  std::vector<double> core_is_free(cores, 0);
  while (true) {
    std::vector<Waiting> waiting;
    for (Rank rank = 0; rank < operations.size(); ++rank) {
      if (next[rank] < operations[rank].size()) waiting.push_back({done[rank], rank});
    }
    if (waiting.empty()) return done;
    const auto first = std::ranges::min_element(waiting, [](const Waiting& a, const Waiting& b) {
      return a.since != b.since ? a.since < b.since : a.rank < b.rank;
    });
    double& core = *std::ranges::min_element(core_is_free);
    done[first->rank] = core = std::max(core, first->since) + operations[first->rank][next[first->rank]++];
  }
}

TEST(SimulateSharedCores, RandomLocalOperationsEndAsTheyDoByHand) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto ranks = static_cast<Rank>(1 + random.below(9));
    const auto cores = static_cast<std::uint32_t>(1 + random.below(4));
    std::vector<std::vector<double>> operations(ranks);
    std::vector<std::map<Rank, RankStep>> steps(1 + random.below(5));
    for (auto& step : steps) {
      for (Rank rank = 0; rank < ranks; ++rank) {
        step[rank].copies = 1 + random.below(1'000'000);
        operations[rank].push_back(static_cast<double>(step[rank].copies) / 1000);
      }
    }
    FlowOptions options = with_cores(cores);
    options.costs.copy = bytes_a_second(1000);
    const Prediction prediction = run(ListedSchedule(ranks, steps), one_machine(ranks), options);
    const std::vector<double> expected = by_hand(operations, cores);
    for (Rank rank = 0; rank < ranks; ++rank) EXPECT_NEAR(prediction.rank_seconds[rank], expected[rank], 1e-6);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace ayatori::test
