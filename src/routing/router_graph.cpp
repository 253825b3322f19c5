#include "router_graph.hpp"

#include <algorithm>

namespace ayatori {

RouterGraph::RouterGraph(const Network& network) : first_cable_{0}, first_neighbour_{0} {
  for (NodeId router = 0; router < network.router_count(); ++router) {
    for (const Port& port : network.ports(router)) {
      if (!port.connected()) continue;
      const Port& peer = network.port(port.peer);
      if (peer.node == router || !network.is_router(peer.node)) continue;
      cables_.push_back({peer.node, port.number, peer.number, 0});
      neighbours_.push_back(peer.node);
    }
    const auto begin = neighbours_.begin() + static_cast<std::ptrdiff_t>(first_neighbour_.back());
    std::sort(begin, neighbours_.end());
    neighbours_.erase(std::unique(begin, neighbours_.end()), neighbours_.end());
    first_cable_.push_back(cables_.size());
    first_neighbour_.push_back(neighbours_.size());
  }
  number_parallel_cables();
}

/// Both ends must agree on the number, whatever the order of the ports at the other end.
void RouterGraph::number_parallel_cables() {
  std::vector<std::uint8_t> cables_to(size(), 0);
  for (NodeId router = 0; router < size(); ++router) {
    for (std::size_t i = first_cable_[router]; i < first_cable_[router + 1]; ++i) {
      Cable& cable = cables_[i];
      if (cable.peer < router) continue;
      cable.parallel = cables_to[cable.peer]++;
      const auto there = cables_.begin() + static_cast<std::ptrdiff_t>(first_cable_[cable.peer]);
      const auto end = cables_.begin() + static_cast<std::ptrdiff_t>(first_cable_[cable.peer + 1]);
      std::lower_bound(there, end, cable.peer_port, [](const Cable& c, PortNumber port) {
        return c.port < port;
      })->parallel = cable.parallel;
    }
    for (const NodeId neighbour : neighbours(router)) cables_to[neighbour] = 0;
  }
}

std::vector<NodeId> RouterGraph::by_distance_from(NodeId start) const {
  std::vector<NodeId> reached = {start};
  std::vector<bool> seen(size(), false);
  seen[start] = true;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const NodeId next : neighbours(reached[i])) {
      if (seen[next]) continue;
      seen[next] = true;
      reached.push_back(next);
    }
  }
  return reached;
}

}  // namespace ayatori
