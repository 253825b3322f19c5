#pragma once
/// \file
/// Algorithms for calls between machines that the MPI's own algorithms may not execute, by rules: they are good in
/// general.

#include <vector>

#include "ayatori/schedule/placement.hpp"
#include "ayatori/tuning/settings.hpp"

namespace ayatori {

/// The first that can be executed is to be, for `bytes` as MPI counts them. Those for machines with several ranks come
/// first, and gateways where only some machines reach the network between groups.
[[nodiscard]] std::vector<ForcedChoice> candidates(MpiCall call, Bytes bytes, const Placement& placement);

}  // namespace ayatori
