#include "ayatori/planning/make_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ayatori/contention/contention.hpp"
#include "plan_methods.hpp"

namespace ayatori {

Plan plan_of(const PlanTask& task, Method method, const PathChoices& choices) {
  std::vector<std::uint8_t> bits;
  for (Rank rank = 0; rank < task.endpoints.rank_count(); ++rank) {
    const std::uint32_t endpoint = task.endpoints.endpoint_of(rank);
    bits.push_back(task.paths.path_bits(endpoint, choices[endpoint]));
  }
  return Plan::per_destination(method, std::move(bits));
}

namespace {

/// Everybody's first choice, in the shape of the method's plans.
Plan plan_without_choice(const PlanTask& task, Method method) {
  Plan plan = plan_of(task, method, PathChoices(task.endpoints.endpoint_count(), 0));
  if (method != Method::pair) return plan;
  std::vector<std::uint8_t> bits;
  for (Rank rank = 0; rank < plan.rank_count(); ++rank)
    bits.insert(bits.end(), plan.all_path_bits().begin(), plan.all_path_bits().end());
  return Plan::per_pair(plan.rank_count(), std::move(bits));
}

MethodResult plan_by(Method method, const PlanTask& task) {
  if (method == Method::destination_mod_k) {
    return {Plan::destination_mod_k(static_cast<Rank>(task.endpoints.rank_count())), "base LIDs for everybody", 0};
  }
  if (task.endpoints.leaf_count() <= 1) return {plan_without_choice(task, method), "no message leaves its leaf", 0};
  if (task.paths.max_choices() <= 1) {
    return {plan_without_choice(task, method),
            "nothing to choose: the tables have one path to each of the job's endpoints", 0};
  }
  switch (method) {
    case Method::destination_mod_k:
      break;
    case Method::rule:
      return plan_by_rule(task);
    case Method::colour:
      return plan_by_colour(task);
    case Method::pair:
      return plan_by_pair(task);
  }
  return {};
}

double total_time(const Contention& contention) { return contention.mean_time * static_cast<double>(contention.steps); }

/// A plan with its measure.
struct Measured {
  MethodResult made;
  Contention contention;
};

/// What the method made, unless everybody's first choice takes less time. It is measured only where it could.
Result<Measured> best_of_method_and_no_choice(const PlanTask& task, Method method, const Routes& routes,
                                              std::span<const PortId> endpoints) {
  Measured best{plan_by(method, task), {}};
  const auto measured = measure_contention(task.network, routes, endpoints, best.made.plan, task.steps);
  if (!measured) return Failure(measured.error());
  best.contention = *measured;
  const bool can_be_better = total_time(best.contention) > task.bound.time && method != Method::destination_mod_k;
  if (!can_be_better || task.paths.max_choices() <= 1) return best;
  Plan without = plan_without_choice(task, method);
  const auto simple = measure_contention(task.network, routes, endpoints, without, task.steps);
  if (!simple) return Failure(simple.error());
  if (total_time(*simple) >= total_time(best.contention)) return best;
  best.made.plan = std::move(without);
  best.made.reason = fmt::format("base LIDs for everybody, {:.1f}% faster than {}",
                                 (total_time(best.contention) / total_time(*simple) - 1) * 100, best.made.reason);
  best.contention = *simple;
  return best;
}

}  // namespace

Result<Planned> make_plan(const Network& network, const Routes& routes, std::span<const PortId> endpoints,
                          const StepSequence& steps, Method method) {
  const auto job_endpoints = JobEndpoints::of(network, endpoints, steps);
  if (!job_endpoints) return Failure(job_endpoints.error());
  const auto paths = JobPaths::traced(network, routes, *job_endpoints);
  if (!paths) return Failure(paths.error());
  const LinkWeights weights(network, endpoints);
  const PathLabels labels(network, *paths);
  const LeafBound leaves(network, *job_endpoints, *paths, weights);
  const JobBound bound = bound_of(leaves, steps);
  auto best = best_of_method_and_no_choice({network, *job_endpoints, weights, steps, *paths, labels, bound}, method,
                                           routes, endpoints);
  if (!best) return Failure(best.error());
  Planned planned;
  planned.plan = std::move(best->made.plan);
  planned.reason = std::move(best->made.reason);
  planned.hot_spots = best->contention.hot_spots;
  planned.lower_bound = std::max(best->made.lower_bound, bound.hot_spots);
  // Sums of the same numbers in the same order where the bound is met, but weights are not always whole.
  const double time = total_time(best->contention);
  const bool takes_least_time = time <= bound.time * (1 + 1e-9);
  planned.optimal = planned.hot_spots == planned.lower_bound || takes_least_time;
  // The relative bandwidth is the sum of ideal times by the sum of times.
  if (bound.time > 0) {
    planned.max_relative_bandwidth = std::min(1.0, best->contention.relative_bandwidth * time / bound.time);
  }
  return planned;
}

}  // namespace ayatori
