#pragma once
/// \file
/// Plans for several jobs that start at the same time.
///
/// The plan of a running job is fixed. Of jobs planned together, one may take a detour so that another finds free
/// links. The method is negotiated congestion, as for wires on a chip (PathFinder: McMurchie and Ebeling, 1995). Jobs
/// are planned repeatedly, each with the current paths of the others. A link that several jobs want becomes more
/// expensive in each round, until the jobs that can avoid it do. Two or three small jobs are annealed together instead,
/// and then improved one by one as in plan_concurrent.hpp, until none of them gains.

#include <span>
#include <vector>

#include "ayatori/planning/plan_concurrent.hpp"

namespace ayatori {

/// One of several jobs: the port of each rank, and the steps to plan for.
struct JobToPlan {
  std::vector<PortId> endpoints;
  const StepSequence& steps;
};

/// Plans `jobs` together, among running jobs `others`, whose paths are fixed. Returns a plan per job, in the order of
/// `jobs`. Of all plans tried these have the highest mean of expected bandwidths (contention/concurrent_bandwidth.hpp).
/// `least_conflicts` of a plan holds for `others` and the other plans returned. Deterministic until `control` stops it:
/// then it returns the best plans so far. Errors: those of make_plan().
[[nodiscard]] Result<std::vector<ConcurrentPlan>> plan_jointly(const Network& network, const Routes& routes,
                                                               std::span<const JobToPlan> jobs,
                                                               std::span<const Footprint> others,
                                                               const SearchControl& control = {});

}  // namespace ayatori
