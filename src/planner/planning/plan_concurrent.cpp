#include "ayatori/planning/plan_concurrent.hpp"

#include <optional>

#include "ayatori/contention/contention.hpp"
#include "ayatori/planning/make_plan.hpp"
#include "concurrent_planner.hpp"
#include "least_delays.hpp"

namespace ayatori {

namespace {

constexpr std::uint64_t many_messages = 50'000;  ///< of a job, over all steps: they are planned once only

struct Attempt {
  Plan plan;
  bool longer = false;
};

Attempt attempt(const PlanningTask& task, std::span<const Footprint> others, const Plan* first) {
  ConcurrentPlanner planner(task, others);
  Plan plan = first == nullptr ? planner.run() : planner.improve(*first);
  return {std::move(plan), planner.longer()};
}

/// A job of many messages, or one whose steps take too long by themselves, begins with the plan that it has alone.
Result<Attempt> best_attempt(const PlanningTask& task, std::span<const Footprint> others) {
  const bool many = std::uint64_t{task.endpoints.rank_count()} * task.steps.step_count() > many_messages;
  std::optional<Attempt> fresh;
  if (!many) fresh = attempt(task, others, nullptr);
  if (fresh && !fresh->longer) return std::move(*fresh);
  const auto alone = make_plan(task.network, task.routes, task.ports, task.steps, Method::pair, task.control);
  if (!alone) return Failure(alone.error());
  Attempt other = attempt(task, others, &alone->plan);
  if (!fresh) return other;
  const auto time = measure_contention(task.network, task.routes, task.ports, fresh->plan, task.steps, task.control);
  const auto other_time =
      measure_contention(task.network, task.routes, task.ports, other.plan, task.steps, task.control);
  if (!time || !other_time) return Failure(time ? other_time.error() : time.error());
  return other_time->mean_time < time->mean_time ? std::move(other) : std::move(*fresh);
}

Result<ConcurrentPlan> judged_among(const PlanningTask& task, Plan plan, std::span<const Footprint> others) {
  auto footprint = footprint_of(task.network, task.routes, task.ports, plan, task.steps);
  if (!footprint) return Failure(footprint.error());
  return task.among(others, std::move(plan), std::move(*footprint));
}

}  // namespace

Result<ConcurrentPlan> plan_concurrent(const Network& network, const Routes& routes, std::span<const PortId> endpoints,
                                       const StepSequence& steps, std::span<const Footprint> others,
                                       const SearchControl& control) {
  const auto task = PlanningTask::of(network, routes, endpoints, steps, control);
  if (!task) return Failure(task.error());
  auto made = best_attempt(*task, others);
  if (!made) return Failure(made.error());
  if (auto exact = least_delays(*task, others, made->plan)) made->plan = std::move(exact->plan);
  return judged_among(*task, std::move(made->plan), others);
}

Result<ConcurrentPlan> judge_among(const Network& network, const Routes& routes, std::span<const PortId> endpoints,
                                   const StepSequence& steps, Plan plan, std::span<const Footprint> others,
                                   const SearchControl& control) {
  const auto task = PlanningTask::of(network, routes, endpoints, steps, control);
  if (!task) return Failure(task.error());
  return judged_among(*task, std::move(plan), others);
}

}  // namespace ayatori
