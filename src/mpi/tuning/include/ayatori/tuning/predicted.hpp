#pragma once
/// \file
/// Which algorithms does the model expect to be fast? They are then worth a trial.

#include <cstdint>
#include <vector>

#include "ayatori/artefacts/message_costs.hpp"
#include "ayatori/schedule/placement.hpp"
#include "ayatori/tuning/settings.hpp"

namespace ayatori {

/// What is known of machines and links, besides the places of the ranks.
struct CostModel {
  CommunicationCosts costs;
  double link_bytes_per_second = 0;  ///< 0: not known
  double link_latency = 0;           ///< seconds
};

struct PredictedChoice {
  ForcedChoice choice;
  double seconds = 0;
};

/// No more than so many messages are simulated for one ranking, and 4,000 or a fifth for one algorithm.
inline constexpr std::uint64_t max_simulated_messages = 20'000;

/// The algorithms that can be executed for this call, predicted to be the fastest first, each with the chunk size that
/// suits it best. `bytes` as MPI counts them. Roots are rank 0. Of several that send the same messages
/// (same_messages.hpp) only the first in the order of algorithms() is there.
///
/// Links are those of the grid that the machines form, or of switched_paths(). Algorithms whose schedule has so many
/// messages that the limit would be exceeded are left out: so among many ranks there may be none. Empty, too, for calls
/// with a size for each rank, and for one rank.
[[nodiscard]] std::vector<PredictedChoice> predicted_choices(MpiCall call, Bytes bytes, const Placement& placement,
                                                             const CostModel& model,
                                                             std::uint64_t max_messages = max_simulated_messages);

}  // namespace ayatori
