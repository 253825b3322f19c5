#pragma once
/// \file
/// Makes plans: which of the destination's LIDs should each message of a job take?

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ayatori/artefacts/plan.hpp"
#include "ayatori/base/error.hpp"
#include "ayatori/network/network.hpp"
#include "ayatori/network/step.hpp"
#include "ayatori/tables/tables.hpp"

namespace ayatori {

struct Planned {
  Plan plan;
  /// True if nothing better exists: hot_spots is lower_bound, or (on over-subscribed leaves, where hot spots must be
  /// and only their height counts) no step can take less time.
  bool optimal = false;
  /// How that is known, or how far it is not: "a colouring exists", "no colouring with 6 colours exists (exhaustive
  /// search, 8123 nodes)", "heuristic: …".
  std::string reason;
  std::uint64_t hot_spots = 0;    ///< (link, step) pairs that are busier than any endpoint in that step
  std::uint64_t lower_bound = 0;  ///< no plan of this method on these tables has fewer (0 where nothing is known)
};

/// Plans the job whose ranks stand on `endpoints`, for the messages of `steps` (the shift all-to-all unless the caller
/// has better). Deterministic. Messages between ranks of one machine do not count. Errors: `rule`, `colour` and `pair`
/// need tables with as many LIDs as the fabric has paths to do their work; with fewer they do what they can and say so
/// in `reason`; an endpoint without LID or that the tables don't reach is an error.
[[nodiscard]] Result<Planned> make_plan(const Network& network, const Routes& routes, std::span<const PortId> endpoints,
                                        const StepSequence& steps, Method method);

}  // namespace ayatori
