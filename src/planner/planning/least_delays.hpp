#pragma once
/// \file
/// The paths of a small job among one or two others whose steps are known, by which all of these jobs together lose
/// least: an exact search, step by step.

#include <optional>
#include <span>

#include "ayatori/artefacts/plan.hpp"
#include "ayatori/contention/footprint.hpp"
#include "concurrent_planner.hpp"

namespace ayatori {

struct LeastDelays {
  Plan plan;
  double bandwidth = 0;    ///< the mean of all jobs over all phases
  bool is_better = false;  ///< than the plan that it began with
};

/// Begins with `plan`, and gives each step of the job the paths that are best with the paths of its other steps, until
/// no step gains. Unless the search of a step had to end before it had seen all, no plan that differs in one step is
/// better then, and with one other job no plan at all; of plans with one message of a step on each link.
/// Nothing where the search does not apply: if `others` has none that the job can meet, more than two, or one whose
/// steps are not known; to jobs that are too large (conflict_search.hpp) or have steps in which a link must carry
/// several messages; and if it does not find one message on each link before it has to end (SearchControl::stop()).
[[nodiscard]] std::optional<LeastDelays> least_delays(const PlanningTask& task, std::span<const Footprint> others,
                                                      const Plan& plan);

}  // namespace ayatori
