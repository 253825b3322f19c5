#pragma once
/// \file
/// A cluster of several networks as somebody writes it down: planes with their switches, chassis with an internal bus,
/// hosts with a NIC on one or several planes. docs/cluster-format.md describes the file.

#include <string>
#include <string_view>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/network/network.hpp"

namespace ayatori {

/// Reads the TOML of a cluster. The planes have the order of the file; a switch's ports lead to its cables in the order
/// of the file, from 1 on; a host's NICs are numbered (rails) by plane, and within a plane by the order of the host's
/// links. A chassis's bus is a router. Errors name file, line and key: a key or a name that is not known, a plane
/// without hosts, a host without a link, a link between two planes, a name that is given twice, no plane for MPI.
[[nodiscard]] Result<Network> parse_cluster(std::string_view text, std::string_view file);
[[nodiscard]] Result<Network> open_cluster(std::string_view file);

/// An interface of a host as its operating system shows it.
struct HostInterface {
  std::string host;
  std::string name;                    ///< of a NIC: the name of its device in the Network
  std::vector<std::string> addresses;  ///< IPv4 with the length of their network: "192.168.0.161/24"
  bool cabled = true;                  ///< false: no cable leaves it (docker0)
};

/// The interfaces whose addresses the file gives. A Network knows nothing of them.
[[nodiscard]] Result<std::vector<HostInterface>> interfaces_in_cluster(std::string_view file);

}  // namespace ayatori
