#pragma once
/// \file
/// Finds the management network among the cables that LLDP reports tell.

#include <vector>

#include "devices.hpp"

namespace ayatori {

/// Takes the cables of switches' management ports out that lead to the management network, since such a port forwards
/// nothing to the others. Returns, by device, whether it is a router of that network: see network_of_lldp.
[[nodiscard]] std::vector<bool> take_management_out(const LldpDevices& devices, LldpCables& cables);

}  // namespace ayatori
