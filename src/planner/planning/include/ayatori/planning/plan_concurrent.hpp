#pragma once
/// \file
/// A plan for a new job next to running jobs, whose paths are fixed: it takes links that no other job uses.
///
/// The others are known by their footprints (contention/footprint.hpp). With p(l) the sum over the others of the share
/// of their steps in which they use link l, the *link conflicts* per step are
///
///     conflicts = 1/S · Σ over steps s of  Σ over the links l that the job uses in s of  p(l)
///
/// with S steps. If each job is in a step drawn at random, this is about the probability that a step is delayed.
///
/// A step that conflicts with another one on two links loses no more than on one. So a second objective decides where
/// it can be computed: the mean bandwidth of all jobs over all phases. It needs at most two other jobs that share
/// links, whose footprints list their steps. An exact search finds the best paths of each step. With one such job no
/// plan of a small job gets more; with two, no plan that differs in one step.
///
/// A plan with 0 conflicts shares no link in any step: the job is *isolated*. Of plans with equally few conflicts this
/// one uses few links often, so that later jobs find free links. (make_plan() does the opposite: it uses all links
/// evenly, so that jobs without a plan suffer least.)

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ayatori/artefacts/plan.hpp"
#include "ayatori/base/error.hpp"
#include "ayatori/base/search_control.hpp"
#include "ayatori/contention/footprint.hpp"
#include "ayatori/network/network.hpp"
#include "ayatori/network/step.hpp"
#include "ayatori/tables/tables.hpp"

namespace ayatori {

/// The plan of a job among concurrent jobs, and how good it is.
struct ConcurrentPlan {
  Plan plan;            ///< of Method::pair
  Footprint footprint;  ///< of the job with this plan
  bool isolated = false;
  double conflicts = 0;  ///< per step
  /// A lower bound of the conflicts of all plans whose steps take no longer than their leaves require.
  double least_conflicts = 0;
  std::string reason;  ///< how good the plan is, and how that is known
};

/// Plans a job among `others`, for the messages of `steps`. `endpoints` has the port of each rank. The plan has no more
/// hot spots than its leaves require, wherever such a plan is found. The links between a NIC and its router cannot be
/// chosen: jobs on one endpoint conflict there with every plan, and are not isolated.
/// Deterministic until `control` stops it: then it returns the best plan so far. It reports no progress to `control`.
/// Errors: those of make_plan().
[[nodiscard]] Result<ConcurrentPlan> plan_concurrent(const Network& network, const Routes& routes,
                                                     std::span<const PortId> endpoints, const StepSequence& steps,
                                                     std::span<const Footprint> others,
                                                     const SearchControl& control = {});

/// The same of a plan that was made elsewhere: how good it is among `others`. Where `control` stops it, less is proven.
[[nodiscard]] Result<ConcurrentPlan> judge_among(const Network& network, const Routes& routes,
                                                 std::span<const PortId> endpoints, const StepSequence& steps,
                                                 Plan plan, std::span<const Footprint> others,
                                                 const SearchControl& control = {});

}  // namespace ayatori
