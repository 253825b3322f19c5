#pragma once
/// \file
/// Plans for several jobs that start at the same time, each of which may give way to the others.
///
/// A job whose plan stands leaves what it leaves. Of jobs that are planned at the same time, one may take a detour so
/// that another one finds free links. As wires are routed on a chip (PathFinder: McMurchie and Ebeling, 1995), jobs are
/// planned again and again, each beside what the others have now, and a link that several of them want becomes dearer
/// each time, for all: jobs that can do without it leave it to the one that can't. Two or three small jobs are annealed
/// together instead, and then improved one by one as in plan_beside.hpp, until none of them gains.

#include <span>
#include <vector>

#include "ayatori/planning/plan_beside.hpp"

namespace ayatori {

/// A job of several: the port of each rank, and the steps that it is planned for.
struct JobToPlan {
  std::vector<PortId> endpoints;
  const StepSequence& steps;
};

/// Plans `jobs` beside each other and beside `others`, whose paths stand; plans by the order of `jobs`. Of all that was
/// tried, these have the highest mean of the bandwidths that jobs expect (contention/beside.hpp). Each one's
/// `least_meetings` holds beside `others` and the plans of the others that are returned with it. Deterministic until
/// `control` stops it: then it returns the best plans so far. Errors: those of make_plan().
[[nodiscard]] Result<std::vector<PlannedBeside>> plan_jointly(const Network& network, const Routes& routes,
                                                              std::span<const JobToPlan> jobs,
                                                              std::span<const Footprint> others,
                                                              const SearchControl& control = {});

}  // namespace ayatori
