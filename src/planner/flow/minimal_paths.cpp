#include "minimal_paths.hpp"

namespace ayatori {

MinimalPaths::MinimalPaths(const Network& network, std::vector<PortId> endpoints)
    : network_(&network), graph_(network), endpoints_(std::move(endpoints)) {
  for (const PortId endpoint : endpoints_) {
    const Port& port = network.port(endpoint);
    const DeviceId router = port.connected() ? network.port(port.peer).device : no_id;
    routers_.push_back(router < graph_.size() ? router : no_id);
    if (routers_.back() != no_id && !to_.contains(router)) to_.emplace(router, graph_.hops_from(router));
  }
}

Result<MinimalPaths> MinimalPaths::of(const Network& network, std::vector<PortId> endpoints, const Sends& sends) {
  MinimalPaths paths(network, std::move(endpoints));
  const auto name = [&](Rank rank) { return network.name(network.port(paths.endpoints_[rank]).device); };
  for (Rank to = 0; to < paths.endpoints_.size(); ++to) {
    if (paths.routers_[to] == no_id) return fail("'{}' is on no router, and only routers choose paths", name(to));
  }
  for (Rank to = 0; to < paths.endpoints_.size(); ++to) {
    const std::vector<std::uint32_t>& hops = paths.to_.at(paths.routers_[to]);
    for (Rank from = 0; from < paths.endpoints_.size(); ++from) {
      if (hops[paths.routers_[from]] != no_id || (sends && !sends(from, to))) continue;
      return fail("the job lies in several parts of the network: no cables lead from '{}' to '{}'", name(from),
                  name(to));
    }
  }
  return paths;
}

void MinimalPaths::next_cables(DeviceId router, Rank to, std::vector<RouterGraph::Cable>& cables) const {
  cables.clear();
  const std::vector<std::uint32_t>& hops = to_.at(routers_[to]);
  for (const RouterGraph::Cable& cable : graph_.cables(router)) {
    if (hops[cable.peer] + 1 == hops[router]) cables.push_back(cable);
  }
}

}  // namespace ayatori
