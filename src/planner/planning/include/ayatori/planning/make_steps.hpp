#pragma once
/// \file
/// Makes the steps of an all-to-all for the paths that a job has: which messages should travel at the same time?
///
/// On given paths every link has to carry its messages one after the other, whatever the order, so no schedule takes
/// less than
///
///     bound = max over directed links l, endpoints' cables too, of  Σ messages on l · r0 / r(l)
///
/// (contention.hpp's units). Steps in which no two messages share a link, as few as that, take exactly this time: edges
/// of a multigraph are coloured, where messages are edges and links are what edges of one colour may not share. Three
/// ways are tried: the shift as it is; a shift between two orders (src/planner/planning/spaced_shift.hpp), for fat
/// trees of any size; and a search (step_search.hpp), for any paths of some hundred endpoints. The fastest is taken.

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "ayatori/artefacts/plan.hpp"
#include "ayatori/base/error.hpp"
#include "ayatori/base/search_control.hpp"
#include "ayatori/contention/contention.hpp"
#include "ayatori/network/network.hpp"
#include "ayatori/schedule/planned_steps.hpp"
#include "ayatori/tables/tables.hpp"

namespace ayatori {

/// Times of a whole all-to-all on given paths, in units of one message on an endpoint's cable.
struct LoadBound {
  double time = 0;           ///< no order of the messages takes less
  PortId busiest = no_id;    ///< a directed link that needs it; no_id if no message uses the network
  double endpoint_time = 0;  ///< the same of the endpoints' own cables alone: what no paths and no order can beat
};

/// Errors: as for measure_contention().
[[nodiscard]] Result<LoadBound> alltoall_bound(const Network& network, const Routes& routes,
                                               std::span<const PortId> endpoints, const Plan& plan);

struct MadeSteps {
  std::shared_ptr<const PlannedSteps> steps;
  Contention contention;  ///< of these steps
  double time = 0;        ///< of all steps; bound.time at the least
  LoadBound bound;
  std::string reason;  ///< how they were made
};

/// Table entries that the searches for one job look at, at most: the default takes some seconds.
inline constexpr std::uint64_t default_search_effort = 500'000'000;

/// `endpoints` has the port of each rank, `plan` its paths. Ranks that share an endpoint send to one other endpoint at
/// a time, each to each of its ranks, one after the other (as the 2-level ring of paper 1). Deterministic. Takes 8
/// bytes for each rank and step. Where `control` stops it, the best steps so far. Errors: as for
/// measure_contention().
[[nodiscard]] Result<MadeSteps> make_steps(const Network& network, const Routes& routes,
                                           std::span<const PortId> endpoints, const Plan& plan,
                                           std::uint64_t search_effort = default_search_effort,
                                           const SearchControl& control = {});

}  // namespace ayatori
