#pragma once
/// \file
/// One plane of a network by itself.

#include "ayatori/base/error.hpp"
#include "ayatori/network/network.hpp"

namespace ayatori {

/// The plane's devices and cables, and the machines that are on it, under their names; NICs keep their rails. What the
/// network warns of is left out, as it may concern other planes. Errors: a plane that the network does not have; a
/// plane without devices.
[[nodiscard]] Result<Network> network_of_plane(const Network& network, PlaneId plane);

}  // namespace ayatori
