#pragma once
/// \file
/// The words in which LLDP speaks of media and ports.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/base/ids.hpp"
#include "ayatori/network/link_rate.hpp"

namespace ayatori {

/// Rate of an IEEE 802.3 medium as lldpctl names it: "25GbaseCR - …", "1000BaseTFD - …", "10GigBaseLR - …",
/// "2p5GbaseX - …". Not known for other words.
[[nodiscard]] LinkRate rate_of_medium(std::string_view medium);

/// Numbers for a router's ports, by name: see network_of_lldp. Error: more ports, or higher numbers, than there are
/// port numbers; then the names are numbered through, if that helps.
[[nodiscard]] Result<std::map<std::string, PortNumber>> number_ports(std::vector<std::string> names);

}  // namespace ayatori
