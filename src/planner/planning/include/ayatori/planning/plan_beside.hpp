#pragma once
/// \file
/// A plan for a job that runs beside others whose paths stand: it takes links that nobody else uses.
///
/// The others are known by their footprints (contention/footprint.hpp). With p(l) the sum over the others of the share
/// of their steps in which they use link l, the *meetings* of a plan are
///
///     meetings = 1/S · Σ over steps s of  Σ over the links l that the job uses in s of  p(l)
///
/// with S steps: about how likely a step is to be delayed, if each job is in a step of its own that is drawn at random.
/// Where at most two other jobs can be met and their footprints say in which steps they use which links, it is the
/// mean bandwidth of all of these jobs over all phases that decides in the end, not the number of meetings: a step that
/// meets another one on two links loses no more than on one. An exact search finds the best paths of each step; beside
/// one such job, no plan of a small job gets more, and beside two none that differs in one step.
///
/// A plan of 0 meetings shares no link, whatever step each is in: the job is *isolated*. Among plans of as few
/// meetings, one is made that uses few links, much, rather than many links a little, so that others find free links
/// later. (A lone plan of make_plan() is the opposite: it uses all links evenly, so that jobs without a plan suffer
/// least.)

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

struct PlannedBeside {
  Plan plan;            ///< of Method::pair
  Footprint footprint;  ///< of the job with this plan
  bool isolated = false;
  double meetings = 0;
  /// No plan of this job beside these others has fewer, as long as no step takes longer than its leaves make it.
  double least_meetings = 0;
  std::string reason;  ///< how good that is, and how it is known
};

/// Plans a job beside `others`. `endpoints` has the port of each rank; as make_plan() does, it plans for the messages
/// of `steps`. The plan has no more hot spots than its leaves force on it, wherever that is found. Deterministic
/// until `control` stops it: then it returns the best plan that it has. It counts nothing.
/// Links between a NIC and its router are nobody's choice: jobs on one endpoint meet there with every plan, and are not
/// isolated.
/// Errors: those of make_plan().
[[nodiscard]] Result<PlannedBeside> plan_beside(const Network& network, const Routes& routes,
                                                std::span<const PortId> endpoints, const StepSequence& steps,
                                                std::span<const Footprint> others, const SearchControl& control = {});

}  // namespace ayatori
