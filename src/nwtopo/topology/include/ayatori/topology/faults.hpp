#pragma once
/// \file
/// Faults as data: links and routers taken out of a Topology without touching its source.

#include <string_view>

#include "ayatori/base/error.hpp"
#include "ayatori/topology/topology.hpp"

namespace ayatori {

/// `faults` lists what is out, separated by commas or new lines: "LS1" (a router or machine with all of its links),
/// "LS1:8" (the cable in port 8, both directions; of a machine with several NICs, that of the first NIC which has one),
/// "gpu-1:mlx5_1" (a NIC with all of its links), "gpu-1:mlx5_1:1" (the cable in a port of it). The same objects and
/// links as `base`, those links with the state taken_out. Errors name the object or port that `base` does not have.
[[nodiscard]] Result<TopologyPtr> take_out(TopologyPtr base, std::string_view faults);

}  // namespace ayatori
