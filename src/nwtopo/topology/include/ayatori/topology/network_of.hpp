#pragma once
/// \file
/// An explicit Network from any Topology, for exports and routing.

#include "ayatori/base/error.hpp"
#include "ayatori/network/network.hpp"
#include "ayatori/topology/topology.hpp"

namespace ayatori {

/// Machines with their NICs, routers (built-in ones are named "R" and the machine's name), links that are up. GUIDs and
/// LIDs are new. Error: more devices than an explicit network may have.
[[nodiscard]] Result<Network> network_of(const Topology& topology);

}  // namespace ayatori
