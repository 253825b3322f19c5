#pragma once
/// \file
/// Some planes of a network by themselves.

#include "ayatori/base/error.hpp"
#include "ayatori/network/network.hpp"

namespace ayatori {

/// The plane's devices, cables and background, and the machines that are on it, under their names; NICs keep their
/// rails, and hosts their aliases. What the network warns of is left out, as it may concern other planes. Errors: a
/// plane that the network does not have; a plane without devices.
[[nodiscard]] Result<Network> network_of_plane(const Network& network, PlaneId plane);

/// The planes that carry it, likewise, but with all warnings; the same network if all do. Error: none does.
[[nodiscard]] Result<Network> network_for(Network network, Purpose purpose);

}  // namespace ayatori
