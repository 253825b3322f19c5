#pragma once
/// \file
/// Reads the names of media and ports in LLDP reports.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/base/ids.hpp"
#include "ayatori/network/link_rate.hpp"

namespace ayatori {

/// Rate of an IEEE 802.3 medium as lldpctl names it: "25GbaseCR - …", "1000BaseTFD - …", "10GigBaseLR - …",
/// "2p5GbaseX - …". Unknown for other words.
[[nodiscard]] LinkRate rate_of_medium(std::string_view medium);

/// Numbers for the ports of a router, by name: see network_of_lldp. If a number in a name is too large for a port
/// number, ports get their place in the natural order of the names instead. Error: more ports than port numbers.
[[nodiscard]] Result<std::map<std::string, PortNumber>> number_ports(std::vector<std::string> names);

}  // namespace ayatori
