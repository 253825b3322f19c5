#pragma once
/// \file
/// What a cluster's file says, with its host lists expanded and its names looked up.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/network/link_rate.hpp"
#include "ayatori/network/purpose.hpp"

namespace ayatori::cluster {

struct Plane {
  std::string name;
  LinkRate rate;              ///< of links that give none
  std::uint32_t latency = 0;  ///< likewise, in nanoseconds
  PlaneUse use;
};

struct ClusterSwitch {
  std::string name;
  std::uint32_t plane = 0;  ///< index in Cluster::planes
};

/// A cable that ends at a switch. It begins at a switch or at a NIC of a host.
struct Link {
  bool from_host = false;
  std::uint32_t from = 0;  ///< index in Cluster::hosts or Cluster::switches
  std::uint32_t to = 0;    ///< index in Cluster::switches
  LinkRate rate;
  std::uint32_t latency = 0;
  std::vector<std::string> addresses;  ///< of the NIC, with the length of their network; none: not given
  std::size_t line = 0;
};

/// An interface of a host that no cable leaves: docker0, virbr0.
struct Other {
  std::uint32_t host = 0;
  std::string name;
  std::vector<std::string> addresses;
};

/// Background traffic.
struct Background {
  std::uint32_t from = 0;  ///< index in Cluster::hosts
  std::uint32_t to = 0;
  std::uint32_t plane = 0;
  LinkRate rate;
};

struct Cluster {
  std::vector<Plane> planes;  ///< in the order of the file
  std::vector<ClusterSwitch> switches;
  std::vector<std::string> hosts;
  std::vector<Link> links;
  std::vector<Other> others;
  std::vector<Background> background;  ///< both hosts are on its plane
};

/// Errors: see parse_cluster().
[[nodiscard]] Result<Cluster> read_cluster(std::string_view text, std::string_view file);

}  // namespace ayatori::cluster
