#include "ayatori/planning/make_plan.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "ayatori/contention/contention.hpp"
#include "plan_methods.hpp"
#include "plan_parts.hpp"

namespace ayatori {

Plan plan_of(const PlanTask& task, Method method, const PathChoices& choices) {
  std::vector<std::uint8_t> bits;
  for (Rank rank = 0; rank < task.endpoints.rank_count(); ++rank) {
    const std::uint32_t endpoint = task.endpoints.endpoint_of(rank);
    bits.push_back(task.paths.path_bits(endpoint, choices[endpoint]));
  }
  return Plan::per_destination(method, std::move(bits));
}

void judge(Planned& planned, const Contention& measured, double least_time) {
  // Sums of the same numbers in the same order where the bound is met, but weights are not always whole.
  if (measured.unmeasured > 0) return;
  const double time = measured.total_time();
  const bool takes_least_time = least_time > 0 && time <= least_time * (1 + 1e-9);
  planned.optimal = planned.hot_spots == planned.lower_bound || takes_least_time;
  // The relative bandwidth is the sum of ideal times by the sum of times.
  if (least_time > 0) {
    planned.max_relative_bandwidth = std::min(1.0, measured.relative_bandwidth * time / least_time);
  }
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

/// All messages from the ranks of one endpoint to those of another take one path: a running program can't tell them
/// apart, and packets of one host that go to another by several paths wait in more queues.
MethodResult plan_by_pair_of_endpoints(const PlanTask& task, std::span<const PortId> ports_of_ranks) {
  const EndpointsOfJob own(ports_of_ranks);
  if (!own.shared()) return plan_by_pair(task);
  const StepsOfEndpoints steps = own.steps_of(task.steps);
  const JobEndpoints endpoints = JobEndpoints::of(task.network, own.endpoints(), steps).value();
  const LeafBound leaves(task.network, endpoints, task.paths, task.weights, task.control);
  JobBound bound = bound_of(leaves, steps, task.control);
  if (task.control.stopped()) bound = {};
  MethodResult made =
      plan_by_pair({task.network, endpoints, task.weights, steps, task.paths, task.labels, bound, task.control});
  made.plan = own.for_ranks(made.plan);
  made.reason = "one path for all ranks of two NICs; " + made.reason;
  made.never_worse_than_no_choice = false;
  return made;
}

MethodResult plan_by(Method method, const PlanTask& task, std::span<const PortId> ports_of_ranks) {
  if (method == Method::base_lids) {
    return {Plan::base_lids(static_cast<Rank>(task.endpoints.rank_count())), "base LIDs for everybody", 0};
  }
  if (task.control.stopped()) return {plan_without_choice(task, method), "base LIDs: the search ended early", 0};
  if (task.endpoints.leaf_count() <= 1) return {plan_without_choice(task, method), "no message leaves its leaf", 0};
  if (task.paths.max_choices() <= 1) {
    return {plan_without_choice(task, method),
            "nothing to choose: the tables have one path to each of the job's endpoints", 0};
  }
  switch (method) {
    case Method::base_lids:
      break;
    case Method::rule:
      return plan_by_rule(task);
    case Method::colour:
      return plan_by_colour(task);
    case Method::pair:
      return plan_by_pair_of_endpoints(task, ports_of_ranks);
  }
  return {};
}

/// A plan with its measure.
struct Measured {
  MethodResult made;
  Contention contention;
};

/// What the method made, unless everybody's first choice takes less time. It is measured only where it could.
Result<Measured> best_of_method_and_no_choice(const PlanTask& task, Method method, const Routes& routes,
                                              std::span<const PortId> endpoints) {
  Measured best{plan_by(method, task, endpoints), {}};
  const auto measured = measure_contention(task.network, routes, endpoints, best.made.plan, task.steps, task.control);
  if (!measured) return Failure(measured.error());
  best.contention = *measured;
  const bool can_be_better = best.contention.total_time() > task.bound.time && method != Method::base_lids &&
                             !best.made.never_worse_than_no_choice;
  if (!can_be_better || task.paths.max_choices() <= 1) return best;
  Plan without = plan_without_choice(task, method);
  const auto simple = measure_contention(task.network, routes, endpoints, without, task.steps, task.control);
  if (!simple) return Failure(simple.error());
  if (simple->mean_time >= best.contention.mean_time) return best;
  best.made.plan = std::move(without);
  best.made.reason = fmt::format("base LIDs for everybody, {:.1f}% faster than {}",
                                 (best.contention.mean_time / simple->mean_time - 1) * 100, best.made.reason);
  best.contention = *simple;
  return best;
}

/// A plan of endpoints that cables join, and the least time that all steps take by any plan on these tables.
struct PlanOfPart {
  Planned planned;
  double least_time = 0;
};

Result<PlanOfPart> plan_part(const Network& network, const Routes& routes, std::span<const PortId> endpoints,
                             const StepSequence& steps, Method method, const SearchControl& control) {
  const auto job_endpoints = JobEndpoints::of(network, endpoints, steps);
  if (!job_endpoints) return Failure(job_endpoints.error());
  const auto paths = JobPaths::traced(network, routes, *job_endpoints, control);
  if (!paths) return Failure(paths.error());
  const LinkWeights weights(network, endpoints);
  const PathLabels labels(network, *paths, control);
  const LeafBound leaves(network, *job_endpoints, *paths, weights, control);
  JobBound bound = bound_of(leaves, steps, control);
  if (control.stopped()) bound = {};
  auto best = best_of_method_and_no_choice({network, *job_endpoints, weights, steps, *paths, labels, bound, control},
                                           method, routes, endpoints);
  if (!best) return Failure(best.error());
  PlanOfPart part;
  Planned& planned = part.planned;
  planned.plan = std::move(best->made.plan);
  planned.reason = std::move(best->made.reason);
  planned.contention = std::move(best->contention);
  planned.hot_spots = planned.contention.hot_spots;
  planned.lower_bound = std::max(best->made.lower_bound, bound.hot_spots);
  part.least_time = bound.time;
  judge(planned, planned.contention, bound.time);
  return part;
}

/// Whether some message goes from one part to another, and not within a machine.
bool crosses(const Network& network, std::span<const PortId> endpoints, const StepSequence& steps,
             const std::vector<std::vector<Rank>>& parts) {
  const auto machine = [&](Rank rank) { return network.device(network.port(endpoints[rank]).device).machine; };
  std::vector<std::size_t> part_of(steps.rank_count());
  for (std::size_t part = 0; part < parts.size(); ++part) {
    for (const Rank rank : parts[part]) part_of[rank] = part;
  }
  std::vector<Message> messages;
  for (std::size_t s = 0; s < steps.step_count(); ++s) {
    steps.step(s, messages);
    for (const Message& message : messages) {
      if (part_of[message.from] != part_of[message.to] && machine(message.from) != machine(message.to)) return true;
    }
  }
  return false;
}

/// Each part by itself, as rails are that no cable joins. All of them take as long as the slowest.
Result<Planned> plan_each_part(const Network& network, const Routes& routes, std::span<const PortId> endpoints,
                               const StepSequence& steps, Method method, const std::vector<std::vector<Rank>>& parts,
                               const SearchControl& control) {
  const auto all = static_cast<Rank>(endpoints.size());
  std::vector<std::uint8_t> bits(method == Method::pair ? std::size_t{all} * all : all);
  double least_time = 0;
  std::string reasons;
  for (const std::vector<Rank>& ranks : parts) {
    const PartOfJob own(endpoints, ranks);
    const auto part = plan_part(network, routes, own.endpoints(), own.steps_of(steps), method, control);
    if (!part) return Failure(part.error());
    own.place(part->planned.plan, bits);
    least_time = std::max(least_time, part->least_time);
    reasons += (reasons.empty() ? "" : "; ") + part->planned.reason;
  }
  Planned planned;
  planned.plan = method == Method::pair        ? Plan::per_pair(all, std::move(bits))
                 : method == Method::base_lids ? Plan::base_lids(all)
                                               : Plan::per_destination(method, std::move(bits));
  planned.reason = fmt::format("{} parts that no cable joins: {}", parts.size(), reasons);
  auto measured = measure_contention(network, routes, endpoints, planned.plan, steps, control);
  if (!measured) return Failure(measured.error());
  planned.contention = std::move(*measured);
  planned.hot_spots = planned.contention.hot_spots;
  judge(planned, planned.contention, least_time);
  return planned;
}

}  // namespace

Result<Planned> make_plan(const Network& network, const Routes& routes, std::span<const PortId> endpoints,
                          const StepSequence& steps, Method method, const SearchControl& control) {
  const std::vector<std::vector<Rank>> parts = ranks_by_part(network, endpoints);
  if (parts.size() > 1 && steps.rank_count() == endpoints.size() && !crosses(network, endpoints, steps, parts)) {
    return plan_each_part(network, routes, endpoints, steps, method, parts, control);
  }
  auto part = plan_part(network, routes, endpoints, steps, method, control);
  if (!part) return Failure(part.error());
  return std::move(part->planned);
}

}  // namespace ayatori
