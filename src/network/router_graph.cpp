#include "router_graph.hpp"

#include <algorithm>

namespace ayatori {

namespace {

std::vector<RouterGraph::Neighbour> neighbours_of(const Network& network, NodeId router) {
  std::vector<RouterGraph::Neighbour> found;
  for (const Port& port : network.ports(router)) {
    if (!port.connected()) continue;
    const NodeId other = network.port(port.peer).node;
    if (other != router && network.is_router(other)) found.push_back({other, 1, port.number});
  }
  std::stable_sort(found.begin(), found.end(), [](auto& a, auto& b) { return a.router < b.router; });
  return found;
}

}  // namespace

RouterGraph::RouterGraph(const Network& network) {
  first_.push_back(0);
  for (NodeId router = 0; router < network.router_count(); ++router) {
    for (const Neighbour& cable : neighbours_of(network, router)) {
      const bool parallel = neighbours_.size() > first_.back() && neighbours_.back().router == cable.router;
      if (parallel) {
        ++neighbours_.back().cables;
      } else {
        neighbours_.push_back(cable);
      }
    }
    first_.push_back(neighbours_.size());
  }
}

std::uint32_t RouterGraph::cables(NodeId a, NodeId b) const {
  const auto around = neighbours(a);
  const auto found = std::lower_bound(around.begin(), around.end(), b,
                                      [](const Neighbour& n, NodeId router) { return n.router < router; });
  return found != around.end() && found->router == b ? found->cables : 0;
}

std::vector<NodeId> RouterGraph::common_neighbours(NodeId a, NodeId b) const {
  std::vector<NodeId> found;
  for (const Neighbour& neighbour : neighbours(a)) {
    if (joins(neighbour.router, b)) found.push_back(neighbour.router);
  }
  return found;
}

std::vector<NodeId> RouterGraph::parts() const {
  std::vector<NodeId> found;
  std::vector<bool> seen(size());
  std::vector<NodeId> waiting;
  for (NodeId start = 0; start < size(); ++start) {
    if (seen[start]) continue;
    found.push_back(start);
    waiting.push_back(start);
    seen[start] = true;
    while (!waiting.empty()) {
      const NodeId router = waiting.back();
      waiting.pop_back();
      for (const Neighbour& neighbour : neighbours(router)) {
        if (seen[neighbour.router]) continue;
        seen[neighbour.router] = true;
        waiting.push_back(neighbour.router);
      }
    }
  }
  return found;
}

}  // namespace ayatori
