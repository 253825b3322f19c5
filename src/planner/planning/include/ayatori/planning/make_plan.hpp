#pragma once
/// \file
/// Makes plans: which of the destination's LIDs should each message of a job take?

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ayatori/artefacts/plan.hpp"
#include "ayatori/base/error.hpp"
#include "ayatori/base/search_control.hpp"
#include "ayatori/contention/contention.hpp"
#include "ayatori/network/network.hpp"
#include "ayatori/network/step.hpp"
#include "ayatori/tables/tables.hpp"

namespace ayatori {

struct Planned {
  Plan plan;
  /// True if no better plan of this method exists: hot_spots equals lower_bound, or no step can take less time. (On
  /// over-subscribed leaves hot spots can't be avoided, and only the time counts.)
  bool optimal = false;
  /// How that is known, or why it is not known: "a colouring exists", "no colouring with 6 colours exists (exhaustive
  /// search, 8123 nodes)", "heuristic: …".
  std::string reason;
  Contention contention;          ///< of the steps that the plan was made for
  std::uint64_t hot_spots = 0;    ///< (link, step) pairs that are busier than any endpoint in that step
  std::uint64_t lower_bound = 0;  ///< no plan of this method on these tables has fewer (0 where nothing is known)
  /// No plan on these tables has a larger relative bandwidth (contention.hpp): the links at each leaf, for the messages
  /// that must leave or enter it in each step, allow no more. At most 1.
  double max_relative_bandwidth = 1;
};

/// Plans a job for the messages of `steps`. `endpoints` has the port of each rank. The shift all-to-all
/// (schedule/pattern.hpp) stands for programs whose messages are not known. Messages between ranks of one machine do
/// not count. Deterministic. The plan never takes more time (contention.hpp) than base LIDs on the same tables: where
/// what the method finds would, the plan has base LIDs for all messages, and `reason` says so. With `pair` all messages
/// from the ranks of one port to those of another take one path: a connection between two ports does not show its
/// ranks (plan_in_use/connection_paths.hpp).
///
/// `rule`, `colour` and `pair` need as many LIDs per port as there are paths (generate.hpp, choose_lmc); with fewer
/// they plan with those that there are, and `reason` says so. Where `control` stops the search, messages that have no
/// path yet get base LIDs, and nothing is proven. Errors: more or fewer endpoints than ranks; an endpoint
/// without a cable or a LID, or one that the tables do not lead to.
[[nodiscard]] Result<Planned> make_plan(const Network& network, const Routes& routes, std::span<const PortId> endpoints,
                                        const StepSequence& steps, Method method, const SearchControl& control = {});

}  // namespace ayatori
