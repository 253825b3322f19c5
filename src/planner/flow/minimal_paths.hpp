#pragma once
/// \file
/// All shortest paths between routers, whatever tables say: the candidates of adaptive routing and of a hash per flow.

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/base/ids.hpp"
#include "ayatori/flow/paths.hpp"
#include "ayatori/network/network.hpp"
#include "ayatori/network/router_graph.hpp"

namespace ayatori {

/// Of some endpoints of a network. Immutable; safe to read from many threads.
class MinimalPaths {
 public:
  /// Errors: an endpoint without a router; two of them (of which one sends to the other, if `sends` says so) that no
  /// cables join.
  static Result<MinimalPaths> of(const Network& network, std::vector<PortId> endpoints, const Sends& sends = {});

  /// The cables out of a router that bring a packet to an endpoint's router one hop nearer, by port number; none at
  /// that router itself.
  void next_cables(DeviceId router, Rank to, std::vector<RouterGraph::Cable>& cables) const;

  [[nodiscard]] DeviceId router_of(Rank rank) const { return routers_[rank]; }
  [[nodiscard]] PortId endpoint(Rank rank) const { return endpoints_[rank]; }
  /// The link from an endpoint's router to the endpoint.
  [[nodiscard]] PortId last_link(Rank to) const { return network_->port(endpoints_[to]).peer; }
  [[nodiscard]] const Network& network() const { return *network_; }

 private:
  MinimalPaths(const Network& network, std::vector<PortId> endpoints);

  const Network* network_;
  RouterGraph graph_;
  std::vector<PortId> endpoints_;                      // by rank
  std::vector<DeviceId> routers_;                      // by rank; no_id: none
  std::map<DeviceId, std::vector<std::uint32_t>> to_;  // by the destination's router: hops from each router
};

}  // namespace ayatori
