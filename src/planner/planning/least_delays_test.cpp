#include "least_delays.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "../../base/thoroughness_fixtures.hpp"
#include "ayatori/planning/make_plan.hpp"
#include "phases_fixtures.hpp"

namespace ayatori {
namespace least_delays_test {

using test::AllPhases;
using test::Fabric;
using test::Problem;
using test::Tree;

constexpr std::uint32_t paths = 4;

Fabric drawn_tree(Random& random) { return make(Tree{.down = {4, 4}, .up = {4}, .scramble = random.below(3)}, 2); }

Plan lone_plan(const Fabric& fabric, const test::Job& job, const StepSequence& steps) {
  return make_plan(fabric.network, fabric.routes, job, steps, Method::pair).value().plan;
}

/// The first of these jobs is planned among the others, which have plans already; each was planned alone.
struct ConcurrentSteps {
  ConcurrentSteps(const Fabric& made, const std::vector<std::uint32_t>& sizes, Random& random)
      : fabric(made), problem(fabric, 16, sizes, random) {
    for (std::size_t job = 0; job < sizes.size(); ++job) {
      problem.plans[job] = lone_plan(fabric, problem.jobs[job], *problem.steps[job]);
      if (job > 0) running.push_back(footprint(job));
    }
    begun = problem.plans[0];
  }

  [[nodiscard]] Footprint footprint(std::size_t job) const { return footprint(job, problem.plans[job]); }
  [[nodiscard]] Footprint footprint(std::size_t job, const Plan& plan) const {
    return footprint_of(fabric.network, fabric.routes, problem.jobs[job], plan, *problem.steps[job]).value();
  }

  [[nodiscard]] std::optional<LeastDelays> search() const { return least_delays(problem.tasks[0], running, begun); }

  [[nodiscard]] double mean_bandwidth(const Plan& plan) const {
    std::vector<Plan> plans = problem.plans;
    plans[0] = plan;
    return AllPhases(fabric, problem, plans).mean_bandwidth();
  }

  [[nodiscard]] bool is_hot(const Plan& plan) const {
    return std::ranges::any_of(footprint(0, plan).links, [](const LinkUse& use) { return use.worst_load > 1; });
  }

  /// The best that all get if one step of the first job takes other paths, one message on each link.
  [[nodiscard]] double best_by_one_step(const Plan& plan, std::size_t step) const {
    std::vector<Message> messages;
    problem.steps[0]->step(step, messages);
    const auto given = plan.all_path_bits();
    std::vector<std::uint8_t> bits(given.begin(), given.end());
    const Rank ranks = plan.rank_count();
    double best = 0;
    std::uint64_t combinations = 1;
    for (std::size_t m = 0; m < messages.size(); ++m) combinations *= paths;
    for (std::uint64_t combination = 0; combination < combinations; ++combination) {
      std::uint64_t left = combination;
      for (const Message& m : messages) {
        bits[std::size_t{m.from} * ranks + m.to] = static_cast<std::uint8_t>(left % paths);
        left /= paths;
      }
      const Plan other = Plan::per_pair(ranks, bits);
      if (!is_hot(other)) best = std::max(best, mean_bandwidth(other));
    }
    return best;
  }

  const Fabric& fabric;
  Problem problem;
  std::vector<Footprint> running;
  Plan begun;
};

TEST(LeastDelays, NoOtherPathsOfOneStepGiveAllJobsMore) {
  int imperfect = 0;
  for (std::uint64_t seed = 1; seed <= test::tries(2U, 6U); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Fabric fabric = drawn_tree(random);
    const ConcurrentSteps jobs(fabric, seed % 2 == 0 ? std::vector{4U, 8U} : std::vector{4U, 6U, 5U}, random);
    const auto found = jobs.search();
    if (!found) continue;
    for (std::size_t step = 0; step < jobs.problem.steps[0]->step_count(); ++step) {
      EXPECT_LE(jobs.best_by_one_step(found->plan, step), found->bandwidth + 1e-9);
    }
    imperfect += found->bandwidth < 1 - 1e-9 ? 1 : 0;
  }
  EXPECT_GT(imperfect, test::tries(0, 2));
}

TEST(LeastDelays, TheBandwidthIsWhatAllGetOverAllPhasesAndNoLessThanBefore) {
  int better = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Fabric fabric = drawn_tree(random);
    const ConcurrentSteps jobs(fabric, seed % 2 == 0 ? std::vector{8U, 8U} : std::vector{5U, 6U, 5U}, random);
    const auto found = jobs.search();
    if (!found) continue;
    EXPECT_NEAR(found->bandwidth, jobs.mean_bandwidth(found->plan), 1e-9);
    const double before = jobs.mean_bandwidth(jobs.begun);
    EXPECT_GE(found->bandwidth, before - 1e-9);
    EXPECT_EQ(found->is_better, found->bandwidth > before + 1e-9);
    better += found->is_better ? 1 : 0;
  }
  EXPECT_GT(better, 5);
}

TEST(LeastDelays, BeginsAlsoWithAPlanThatHasHotSpots) {
  Random random(3);
  const Fabric fabric = drawn_tree(random);
  ConcurrentSteps jobs(fabric, {8, 8}, random);
  jobs.begun = Plan::per_pair(8, std::vector<std::uint8_t>(64, 0));  // all by the first spine
  const auto found = jobs.search();
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->is_better);
  EXPECT_NEAR(found->bandwidth, jobs.mean_bandwidth(found->plan), 1e-9);
}

TEST(LeastDelays, AppliesToOneOrTwoConcurrentJobsWhoseStepsAreKnown) {
  Random random(5);
  const Fabric fabric = drawn_tree(random);
  const ConcurrentSteps jobs(fabric, {6, 5, 5}, random);
  const PlanningTask& task = jobs.problem.tasks[0];
  EXPECT_TRUE(least_delays(task, jobs.running, jobs.begun));
  EXPECT_FALSE(least_delays(task, {}, jobs.begun));
  EXPECT_FALSE(least_delays(task, test::without_steps(jobs.running), jobs.begun));
  std::vector<Footprint> three = jobs.running;
  three.push_back(jobs.running[0]);
  EXPECT_FALSE(least_delays(task, three, jobs.begun));
}

}  // namespace least_delays_test
}  // namespace ayatori
