#pragma once
/// \file
/// Networks of which only the switches (or groups of switches) above each host are known, as clouds report them.

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

/// A network on one plane in which neighbours on any path have one cable, whose rate is not known. The ports of a
/// router lead first to the hosts and then to the switches below it, by name, and last to the switches above it. A host
/// without switches becomes a machine without a cable. Errors name `file`: a host that is listed twice, a switch that
/// occurs twice on one path, more ports than port numbers.
[[nodiscard]] Result<Network> network_of_paths(const std::vector<HostPath>& paths, std::string_view plane,
                                               std::string_view file);

/// How a cloud lists its instances: the members that hold the name of one and of the switches above it.
struct InstanceKeys {
  std::string_view host;
  std::string_view switches;  ///< an array; missing or null: none are known
  bool nearest_first = true;  ///< otherwise the nearest is the last
};

/// The same for a JSON list of instances. Further errors: a name that is empty or no string.
[[nodiscard]] Result<Network> network_of_instances(const JsonValue& list, const InstanceKeys& keys,
                                                   std::string_view plane, std::string_view file);

}  // namespace ayatori
