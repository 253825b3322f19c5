#pragma once
/// \file
/// The methods of planning, one file each. make_plan prepares what they share and measures what they yield. Where
/// PlanTask::control stops them, they return the best that they have.

#include <string>
#include <vector>

#include "ayatori/base/search_control.hpp"
#include "ayatori/contention/job_endpoints.hpp"
#include "ayatori/planning/make_plan.hpp"
#include "job_paths.hpp"
#include "leaf_bound.hpp"
#include "path_labels.hpp"

namespace ayatori {

struct PlanTask {
  const Network& network;
  const JobEndpoints& endpoints;
  const LinkWeights& weights;
  const StepSequence& steps;
  const JobPaths& paths;
  const PathLabels& labels;
  const JobBound& bound;
  const SearchControl& control;
};

/// A choice (see JobPaths) for each endpoint.
using PathChoices = std::vector<std::uint8_t>;

struct MethodResult {
  Plan plan;
  std::string reason;
  std::uint64_t lower_bound = 0;  ///< of hot spots, as far as the method itself knows
  /// True if the method itself made sure that no step takes longer than with everybody's first choice.
  bool never_worse_than_no_choice = false;
};

[[nodiscard]] PathChoices choices_by_rule(const PlanTask& task);

[[nodiscard]] MethodResult plan_by_rule(const PlanTask& task);
[[nodiscard]] MethodResult plan_by_colour(const PlanTask& task);
[[nodiscard]] MethodResult plan_by_pair(const PlanTask& task);

/// The plan in which messages to a rank take the choice of the rank's endpoint.
[[nodiscard]] Plan plan_of(const PlanTask& task, Method method, const PathChoices& choices);

/// Tells what its measure and the least time of any plan (0: it is not known) say of a plan whose hot spots are known.
void judge(Planned& planned, const Contention& measured, double least_time);

}  // namespace ayatori
