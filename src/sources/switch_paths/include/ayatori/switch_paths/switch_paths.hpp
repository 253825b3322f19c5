#pragma once
/// \file
/// What clouds tell of their networks: for each host the switches (or groups of switches) above it, and no more.

#include <string>
#include <string_view>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/json_document/json_document.hpp"
#include "ayatori/network/network.hpp"

namespace ayatori {

struct HostPath {
  std::string host;
  std::vector<std::string> switches;  ///< the nearest first
};

/// A network on one plane in which neighbours on any path have one cable, of a rate that nobody knows. Ports of a
/// router count through what is below it by name, hosts first, and then what is above. A host without switches is a
/// machine without a cable. Errors name `file`: a host or a switch on one path twice, more ports than numbers.
[[nodiscard]] Result<Network> network_of_paths(const std::vector<HostPath>& paths, std::string_view plane,
                                               std::string_view file);

/// The same of a JSON list of instances; `path_of` reads one.
[[nodiscard]] Result<Network> network_of_instances(const JsonValue& list,
                                                   Result<HostPath> (*path_of)(const JsonValue& instance),
                                                   std::string_view plane, std::string_view file);

}  // namespace ayatori
