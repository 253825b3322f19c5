/// The simulator against one that keeps no state between events.

#include <gtest/gtest.h>

#include "../../base/thoroughness_fixtures.hpp"
#include "ayatori/base/parallel.hpp"
#include "ayatori/flow/simulate.hpp"
#include "flow_fixtures.hpp"
#include "random_flow_fixtures.hpp"
#include "slow_drift_fixtures.hpp"

namespace ayatori::test {
namespace {

/// Lines whose numbers are such that no two sums are equal by chance.
SizeCost random_cost(Random& random, std::uint64_t lines) {
  SizeCost cost;
  for (std::uint64_t from = 0; lines > 0; --lines, from += 200) {
    cost.push_back({from, random.fraction(), random.fraction() / 100});
  }
  return cost;
}

/// Overheads and gaps. Who is first at a processor matters, so that messages must not be there at the same time.
void add_random_overheads(Random& random, FlowOptions& options, ListedPaths& paths) {
  for (MessageCosts* costs : {&options.costs.inside, &options.costs.between}) {
    costs->latency = random.fraction();
    costs->send = random_cost(random, 1 + random.below(2));
    costs->receive = random_cost(random, random.below(3));
    costs->gap = random.below(2) == 0 ? 0 : random.fraction();
  }
  options.costs.copy = random_cost(random, 1);
  options.costs.inside.bandwidth = 250;
  for (double& latency : paths.latencies) latency = random.fraction();
}

TEST(Simulate, DriftEqualsASlowReferenceForRandomSchedules) {
  std::size_t deadlocks = 0;
  std::size_t open_orders = 0;
  for (std::uint64_t seed = 1; seed <= test::tries(150U, 450U); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto ranks = static_cast<Rank>(2 + random.below(7));
    ListedPaths paths = random_paths(random, ranks);
    const bool overheads = random.below(2) == 0;
    const ListedSchedule schedule = random_schedule(random, ranks, overheads);
    FlowOptions options = random_options(random);
    if (overheads) add_random_overheads(random, options, paths);
    if (random.below(2) == 0) options.costs.start = 0.125;
    // With head-of-line blocking the position of a constraint in the route matters, and here injection limits have
    // another position than in the simulator.
    options.head_of_line = options.costs.between.bandwidth == 0 && random.below(3) == 0;
    options.in_order = seed % 8 != 0;
    SlowDrift reference(schedule, paths, options);
    const auto expected = reference.run();
    open_orders += reference.order_is_open();
    if (reference.order_is_open()) continue;
    const auto prediction = simulate(schedule, paths, options);
    ASSERT_EQ(prediction.has_value(), expected.has_value());
    deadlocks += !prediction;
    if (!prediction) continue;
    for (Rank rank = 0; rank < ranks; ++rank) {
      EXPECT_NEAR(prediction->rank_seconds[rank], (*expected)[rank], 1e-9 * (1 + prediction->seconds)) << rank;
    }
    if (HasFailure()) return;
  }
  EXPECT_LT(open_orders, test::tries(17U, 50U));
  EXPECT_GT(deadlocks, 0U);
  EXPECT_LT(deadlocks, test::tries(67U, 200U));
}

/// A step of a synchronous run is a schedule of one step that drifts: counting loads is exact whenever it is used.
TEST(Simulate, ASynchronousRunIsTheSumOfItsSteps) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto ranks = static_cast<Rank>(2 + random.below(7));
    const ListedPaths paths = random_paths(random, ranks);
    const bool one_size = random.below(2) == 0;
    std::vector<std::map<Rank, RankStep>> steps(1 + random.below(4));
    double sum = 0;
    FlowOptions options = random_options(random);
    options.head_of_line = random.below(3) == 0;
    for (auto& step : steps) {
      for (std::uint64_t messages = random.below(3 * ranks); messages > 0; --messages) {
        const Rank from = static_cast<Rank>(random.below(ranks));
        const Rank to = static_cast<Rank>(random.below(ranks));
        if (from == to) continue;
        step[from].sends.emplace_back(to, one_size ? 300 : random.below(5) * 100);
        step[to].receives.push_back(from);
      }
      options.steps = StepMode::drift;
      const ListedSchedule alone(ranks, {step});
      // The receiver of the last message waits for it, whether it is eager or not.
      sum += simulate(alone, paths, options).value().seconds;
    }
    options.steps = StepMode::synchronous;
    EXPECT_NEAR(simulate(ListedSchedule(ranks, steps), paths, options).value().seconds, sum, 1e-9 * (1 + sum));
    if (HasFailure()) return;
  }
}

TEST(Simulate, LinksCarryTheBytesOfTheMessagesOverThem) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Rank ranks = 6;
    ListedPaths paths = random_paths(random, ranks);
    std::iota(paths.machines.begin(), paths.machines.end(), 0U);
    paths.nics.clear();
    std::map<std::uint32_t, Bytes> expected;
    Bytes network_bytes = 0;
    for (Rank a = 0; a < ranks; ++a) {
      for (Rank b = 0; b < ranks; ++b) {
        if (a == b) continue;
        network_bytes += 777;
        const std::uint32_t parts = paths.part_count(a, b);
        for (std::uint32_t number = 0; number < parts; ++number) {
          PartPath part;
          paths.part(number, a, b, part);
          for (const auto link : part.links) expected[link] += 777 / parts + (number < 777 % parts ? 1 : 0);
        }
      }
    }
    for (const StepMode mode : {StepMode::drift, StepMode::synchronous}) {
      FlowOptions options;
      options.steps = mode;
      const Prediction prediction = simulate(test::shift_schedule(ranks, 777), paths, options).value();
      EXPECT_EQ(prediction.network_bytes, network_bytes);
      EXPECT_EQ(prediction.messages, ranks * (ranks - 1));
      std::map<std::uint32_t, Bytes> carried;
      for (const HotLinkTime& link : prediction.hot_links) {
        carried[link.link] = link.bytes;
        EXPECT_LE(link.busy, 1 + 1e-9);
        EXPECT_LE(link.saturated, 1 + 1e-9);
        if (mode == StepMode::drift) {
          EXPECT_GE(link.busy, link.saturated - 1e-9);
        }
      }
      EXPECT_EQ(carried, expected);
    }
  }
}

TEST(Simulate, SynchronousPredictionsAreTheSameForAnyNumberOfThreads) {
  Random random(5);
  const Rank ranks = 300;
  ListedPaths paths = test::one_switch(ranks, 1e9, 1e-7);
  for (double& rate : paths.rates) rate *= 0.5 + random.fraction();
  FlowOptions options;
  options.steps = StepMode::synchronous;
  const ListedSchedule schedule = test::shift_schedule(ranks, 1000);
  const auto simulate_on = [&](std::size_t threads) {
    const ThreadLimit limit(threads);
    return simulate(schedule, paths, options).value();
  };
  const Prediction one = simulate_on(1);
  const Prediction four = simulate_on(4);
  EXPECT_EQ(one.seconds, four.seconds);
  EXPECT_EQ(one.rank_seconds, four.rank_seconds);
  ASSERT_EQ(one.hot_links.size(), four.hot_links.size());
  for (std::size_t i = 0; i < one.hot_links.size(); ++i) {
    EXPECT_EQ(one.hot_links[i].link, four.hot_links[i].link);
    EXPECT_EQ(one.hot_links[i].busy, four.hot_links[i].busy);
    EXPECT_EQ(one.hot_links[i].saturated, four.hot_links[i].saturated);
  }
}

}  // namespace
}  // namespace ayatori::test
