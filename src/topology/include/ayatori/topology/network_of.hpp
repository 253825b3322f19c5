#pragma once
/// \file
/// The way back: an explicit Network from any Topology, for exports and routing.

#include "ayatori/base/error.hpp"
#include "ayatori/network/network.hpp"
#include "ayatori/topology/topology.hpp"

namespace ayatori {

/// Machines with their NICs, routers (built-in ones get names of their own, "R" + the machine's), links that are up.
/// GUIDs and LIDs are new. Error: more nodes than an explicit network may have.
[[nodiscard]] Result<Network> network_of(const Topology& topology);

}  // namespace ayatori
