#include "conflict_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "../../base/thoroughness_fixtures.hpp"
#include "ayatori/contention/jobs_together.hpp"
#include "ayatori/planning/plan_concurrent.hpp"
#include "phases_fixtures.hpp"

namespace ayatori {
namespace conflict_search_test {

using test::AllPhases;
using test::Fabric;
using test::Problem;
using test::Tree;

constexpr Annealing run{3000, 4, 0.25, 0.5};

TEST(ConflictSearch, TheValueIsWhatJobsGetOverAllPhases) {
  int clean = 0;
  int imperfect = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Fabric fabric = make(Tree{.down = {4, 4}, .up = {4}, .scramble = random.below(3)}, 2);
    const Problem problem =
        seed % 2 == 0 ? Problem(fabric, 16, {7, 8}, random) : Problem(fabric, 16, {5, 6, 5}, random);
    const auto messages = JointMessages::of(problem.tasks, problem.plans);
    ASSERT_TRUE(messages);
    ASSERT_TRUE(ConflictSearch::applies(problem.tasks, *messages));
    ConflictSearch search(problem.tasks, *messages, {});
    for (int i = 0; i < 3; ++i) search.anneal(run, random);
    if (search.hot_links() != 0) continue;  // a link with two messages of a step: the value is an estimate only
    ++clean;
    const double bandwidth = AllPhases(fabric, problem, messages->plans(search.choices())).mean_bandwidth();
    EXPECT_NEAR(search.value(), bandwidth, 1e-9);
    EXPECT_EQ(search.is_isolated(), bandwidth > 1 - 1e-9);
    imperfect += search.is_isolated() ? 0 : 1;
  }
  EXPECT_GT(clean, 10);
  EXPECT_GT(imperfect, 3);
}

/// Three jobs, of which the last two run already with plans of their own.
struct WithTwoJobs {
  WithTwoJobs(const Fabric& fabric, Random& random) : problem(fabric, 16, {5, 6, 5}, random) {
    for (std::size_t job : {2U, 1U}) {
      const auto planned =
          plan_concurrent(fabric.network, fabric.routes, problem.jobs[job], *problem.steps[job], running);
      problem.plans[job] = planned.value().plan;
      running.push_back(planned.value().footprint);
    }
  }

  /// What all three get if the first one has this plan, over all phases.
  double mean_bandwidth(const Fabric& fabric, const Plan& plan) {
    return AllPhases(fabric, problem, {plan, problem.plans[1], problem.plans[2]}).mean_bandwidth();
  }

  Problem problem;
  std::vector<Footprint> running;
};

TEST(ConflictSearch, TheValueWithRunningJobsIsWhatAllGetOverAllPhases) {
  int imperfect = 0;
  for (std::uint64_t seed = 1; seed <= test::tries(4U, 12U); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Fabric fabric = make(Tree{.down = {4, 4}, .up = {4}, .scramble = random.below(3)}, 2);
    WithTwoJobs jobs(fabric, random);
    const auto tasks = std::span(jobs.problem.tasks).first(1);
    const auto messages = JointMessages::of(tasks, std::span(jobs.problem.plans).first(1));
    ConflictSearch search(tasks, *messages, jobs.running);
    EXPECT_EQ(search.standing(), 2U);
    for (int i = 0; i < 3; ++i) search.anneal(run, random);
    ASSERT_EQ(search.hot_links(), 0U);
    EXPECT_NEAR(search.value(), jobs.mean_bandwidth(fabric, messages->plans(search.choices())[0]), 1e-9);
    imperfect += search.is_isolated() ? 0 : 1;
  }
  EXPECT_GT(imperfect, test::tries(1, 3));
}

TEST(PlanConcurrent, JobsGetNoLessIfTheStepsOfThoseThatRunAreKnown) {
  int better = 0;
  for (std::uint64_t seed = 1; seed <= test::tries(4U, 12U); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Fabric fabric = make(Tree{.down = {4, 4}, .up = {4}, .scramble = random.below(3)}, 2);
    WithTwoJobs jobs(fabric, random);
    const auto concurrent_bandwidth = [&](const std::vector<Footprint>& running) {
      const auto planned =
          plan_concurrent(fabric.network, fabric.routes, jobs.problem.jobs[0], *jobs.problem.steps[0], running);
      return jobs.mean_bandwidth(fabric, planned.value().plan);
    };
    const double known = concurrent_bandwidth(jobs.running);
    const double unknown = concurrent_bandwidth(test::without_steps(jobs.running));
    EXPECT_GE(known, unknown - 1e-9);
    better += known > unknown + 1e-9 ? 1 : 0;
  }
  EXPECT_GT(better, test::tries(1, 3));
}

TEST(ConflictSearch, FurtherRunsNeverLoseWhatWasFound) {
  Random random(3);
  const Fabric fabric = make(Tree{.down = {4, 4}, .up = {4}}, 2);
  const Problem problem(fabric, 16, {8, 8}, random);
  const auto messages = JointMessages::of(problem.tasks, problem.plans);
  ConflictSearch search(problem.tasks, *messages, {});
  double value = search.hot_links() == 0 ? search.value() : 0;
  for (int i = 0; i < 10; ++i) {
    search.anneal(run, random);
    EXPECT_EQ(search.hot_links(), 0U);
    EXPECT_GE(search.value(), value);
    value = search.value();
  }
}

TEST(ConflictSearch, LeavesLinksToJobsThatRun) {
  Random random(4);
  const Fabric fabric = make(Tree{.down = {4, 4}, .up = {4}}, 2);
  const Problem runs(fabric, 8, {4}, random);  // on the first two leaves
  const Footprint taken =
      footprint_of(fabric.network, fabric.routes, runs.jobs[0], runs.plans[0], *runs.steps[0]).value();
  std::vector<PortId> rest;
  for (const PortId port : fabric.contiguous(16)) {
    if (std::ranges::find(runs.jobs[0], port) == runs.jobs[0].end() && rest.size() < 6) rest.push_back(port);
  }
  const auto steps = shift_all_to_all(static_cast<Rank>(rest.size()));
  const std::vector<PlanningTask> tasks{PlanningTask::of(fabric.network, fabric.routes, rest, *steps).value()};
  const std::vector<Plan> plans{Plan::base_lids(static_cast<Rank>(rest.size()))};
  const auto messages = JointMessages::of(tasks, plans);
  const std::vector<Footprint> others{taken};
  ConflictSearch search(tasks, *messages, others);
  for (int i = 0; i < 5 && !search.is_isolated(); ++i) search.anneal(run, random);
  const Plan plan = messages->plans(search.choices())[0];
  const Footprint mine = footprint_of(fabric.network, fabric.routes, rest, plan, *steps).value();
  EXPECT_EQ(search.is_isolated(), shared_links(std::vector<Footprint>{taken, mine}).empty());
  EXPECT_TRUE(search.is_isolated());
}

TEST(ConflictSearch, DoesNotApplyWhereALinkCarriesSeveralMessagesOfAStep) {
  const Fabric fabric = make(Tree{.down = {4, 4}, .up = {2}}, 1);
  Random random(1);
  const Problem problem(fabric, 16, {8, 8}, random);
  const auto messages = JointMessages::of(problem.tasks, problem.plans);
  ASSERT_TRUE(messages);
  EXPECT_FALSE(ConflictSearch::applies(problem.tasks, *messages));
}

}  // namespace conflict_search_test
}  // namespace ayatori
