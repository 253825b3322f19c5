#pragma once
/// \file
/// Algorithms for calls between machines that the MPI's own algorithms may not execute, by rules: they are good in
/// general.

#include <vector>

#include "ayatori/schedule/placement.hpp"
#include "ayatori/tuning/settings.hpp"

namespace ayatori {

/// The first of them that can be executed is to be. At most two, for `bytes` as MPI counts them (0 for calls with a
/// size for each rank). Those that combine or forward on machines first come first where there are several machines
/// with several ranks, and before them those that use gateways, where only some machines reach the network between
/// groups.
[[nodiscard]] std::vector<ForcedChoice> candidates(MpiCall call, Bytes bytes, const Placement& placement);

}  // namespace ayatori
