#pragma once
/// \file
/// Which links a RoCE connection takes through switches that choose among cables that are equally short by a hash.

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/base/ids.hpp"
#include "ayatori/hashing/flow_hash.hpp"
#include "ayatori/network/network.hpp"
#include "ayatori/network/router_graph.hpp"

namespace ayatori {

/// How the switches of a network hash.
struct SwitchHashes {
  CableChoice choice;
  std::vector<std::uint32_t> seeds;  ///< by router
};

/// Of some endpoints, each an Ethernet port with an IP address. The network must outlive it. Immutable.
class HashedPaths {
 public:
  /// Errors: an endpoint that is not cabled to a router; endpoints that no cables join; more or fewer
  /// addresses than endpoints or seeds than routers; two endpoints with one address; addresses of both kinds.
  static Result<HashedPaths> of(const Network& network, std::vector<PortId> endpoints, std::vector<IpAddress> addresses,
                                SwitchHashes hashes);

  [[nodiscard]] std::uint32_t endpoint_count() const { return static_cast<std::uint32_t>(endpoints_.size()); }

  /// Replaces `links` by the links between routers that packets from one endpoint to another take, in order. At each
  /// router the cables that bring them a hop nearer are numbered by port; where there are several, the hash chooses.
  void path(std::uint32_t from, std::uint32_t to, std::uint16_t source_port, std::vector<PortId>& links) const;

  /// How many shortest paths lead from one endpoint to another, whether or not some source port takes each.
  [[nodiscard]] std::uint64_t path_count(std::uint32_t from, std::uint32_t to) const;

  [[nodiscard]] const Network& network() const { return *network_; }

 private:
  HashedPaths(const Network& network, SwitchHashes hashes)
      : network_(&network), graph_(network), hashes_(std::move(hashes)) {}

  void next_cables(DeviceId router, std::span<const std::uint32_t> hops, std::vector<RouterGraph::Cable>& cables) const;

  const Network* network_;
  RouterGraph graph_;
  SwitchHashes hashes_;
  std::vector<PortId> endpoints_;
  std::vector<IpAddress> addresses_;                     // by endpoint
  std::vector<DeviceId> routers_;                        // by endpoint
  std::map<DeviceId, std::vector<std::uint32_t>> hops_;  // by router of a destination: from each router
};

}  // namespace ayatori
