// Searches for plans that are stopped, before they begin or at some step that they look at.
#include <gtest/gtest.h>

#include <atomic>

#include "../contention/tree_fixtures.hpp"
#include "ayatori/contention/contention.hpp"
#include "ayatori/planning/make_plan.hpp"
#include "ayatori/planning/make_steps.hpp"
#include "ayatori/planning/plan_for_traffics.hpp"
#include "ayatori/schedule/pattern.hpp"

namespace ayatori {
namespace stopped_test {

using test::Fabric;

/// Steps that stop a search as soon as it has asked for so many of them.
class StopsAfter final : public StepSequence {
 public:
  StopsAfter(const StepSequence& steps, int calls, const SearchControl& control)
      : steps_(steps), left_(calls), control_(control) {}

  [[nodiscard]] Rank rank_count() const override { return steps_.rank_count(); }
  [[nodiscard]] std::size_t step_count() const override { return steps_.step_count(); }
  void step(std::size_t index, std::vector<Message>& messages) const override {
    if (left_-- <= 0) control_.stop();
    steps_.step(index, messages);
  }

 private:
  const StepSequence& steps_;
  mutable std::atomic<int> left_;
  const SearchControl& control_;
};

Fabric damaged_tree() { return test::make({.down = {4, 4}, .up = {4}, .missing = {5}, .slow = {3}}, 2); }

double time_of(const Fabric& fabric, const std::vector<PortId>& job, const Plan& plan, const StepSequence& steps) {
  return measure_contention(fabric.network, fabric.routes, job, plan, steps)->total_time();
}

TEST(MakePlan, StoppedAnywhereIsNoSlowerThanBaseLidsAndProvesNothingFalse) {
  const Fabric fabric = damaged_tree();
  const auto job = fabric.job({12, 3, 9, 0, 6, 15, 5, 10, 1});
  const auto shift = shift_all_to_all(9);
  const double without = time_of(fabric, job, Plan::base_lids(9), *shift);
  for (const Method method : {Method::rule, Method::colour, Method::pair}) {
    const Planned whole = make_plan(fabric.network, fabric.routes, job, *shift, method).value();
    for (int calls = 0; calls < 60; ++calls) {
      const SearchControl control;
      const StopsAfter steps(*shift, calls, control);
      const Planned planned = make_plan(fabric.network, fabric.routes, job, steps, method, control).value();
      EXPECT_LE(time_of(fabric, job, planned.plan, *shift), without * (1 + 1e-9)) << calls;
      EXPECT_EQ(planned.plan.method(), method);
      EXPECT_LE(planned.lower_bound, whole.hot_spots);
      EXPECT_GE(planned.max_relative_bandwidth, whole.contention.relative_bandwidth - 1e-9);
    }
  }
}

TEST(PlanForTraffics, StoppedAnywhereLosesInNoTraffic) {
  const Fabric fabric = damaged_tree();
  const auto job = fabric.job({12, 3, 9, 0, 6, 15, 5, 10, 1});
  const auto shift = shift_all_to_all(9);
  const auto exchanges = xor_exchanges(9);
  for (int calls = 0; calls < 200; calls += 3) {
    const SearchControl control;
    const StopsAfter steps(*shift, calls, control);
    const std::vector<Traffic> traffics = {{steps}, {*exchanges}};
    const auto found = plan_for_traffics(fabric.network, fabric.routes, job, traffics, 0, control).value();
    for (const TrafficShare& share : found.shares) EXPECT_GE(share.with, share.without * (1 - tolerated_loss));
  }
}

TEST(MeasureContention, StoppedMeasuresSomeStepsAndSaysSo) {
  const Fabric fabric = damaged_tree();
  const auto job = fabric.job({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, 32);
  const auto ranks = static_cast<Rank>(job.size());
  const auto shift = shift_all_to_all(ranks);
  const auto whole = measure_contention(fabric.network, fabric.routes, job, Plan::base_lids(ranks), *shift).value();
  EXPECT_EQ(whole.unmeasured, 0U);
  const SearchControl control;
  control.stop();
  const auto some =
      measure_contention(fabric.network, fabric.routes, job, Plan::base_lids(ranks), *shift, control).value();
  EXPECT_GT(some.unmeasured, 0U);
  EXPECT_FALSE(some.free);
  EXPECT_LE(some.steps + some.unmeasured, shift->step_count());
  EXPECT_NEAR(some.relative_bandwidth, whole.relative_bandwidth, 0.1 * whole.relative_bandwidth);
}

TEST(MakeSteps, StoppedHasAllMessages) {
  const Fabric fabric = damaged_tree();
  const auto job = fabric.job({12, 3, 9, 0, 6, 15, 5, 10, 1});
  const SearchControl control;
  control.stop();
  const auto made = make_steps(fabric.network, fabric.routes, job, Plan::base_lids(9), default_search_effort, control);
  std::size_t messages = 0;
  std::vector<Message> step;
  for (std::size_t s = 0; s < made->steps->step_count(); ++s) {
    made->steps->step(s, step);
    messages += step.size();
  }
  EXPECT_EQ(messages, 9U * 8U);
}

}  // namespace stopped_test
}  // namespace ayatori
