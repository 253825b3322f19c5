#include "ayatori/network/router_graph.hpp"

#include <algorithm>
#include <tuple>

namespace ayatori {

RouterGraph::RouterGraph(const Network& network) : first_cable_{0}, first_neighbour_{0} {
  for (DeviceId router = 0; router < network.router_count(); ++router) {
    add_cables(network, router);
    add_neighbours(router);
  }
  number_parallel_cables();
}

void RouterGraph::add_cables(const Network& network, DeviceId router) {
  for (const Port& port : network.ports(router)) {
    if (!port.connected()) continue;
    const Port& peer = network.port(port.peer);
    if (peer.device != router && network.is_router(peer.device)) {
      cables_.push_back({peer.device, port.number, peer.number, 0});
    }
  }
  first_cable_.push_back(cables_.size());
}

/// Derives the neighbours from the router's cables, which are the last in `cables_`.
void RouterGraph::add_neighbours(DeviceId router) {
  std::vector<Cable> sorted(cables_.begin() + static_cast<std::ptrdiff_t>(first_cable_[router]), cables_.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const Cable& a, const Cable& b) { return std::tie(a.peer, a.port) < std::tie(b.peer, b.port); });
  for (const Cable& cable : sorted) {
    const bool is_parallel = neighbours_.size() > first_neighbour_.back() && neighbours_.back().router == cable.peer;
    if (is_parallel) {
      ++neighbours_.back().cables;
    } else {
      neighbours_.push_back({cable.peer, 1, cable.port});
    }
  }
  first_neighbour_.push_back(neighbours_.size());
}

/// Both ends must agree on the number, whatever the order of the ports at the other end.
void RouterGraph::number_parallel_cables() {
  std::vector<PortNumber> cables_to(size(), 0);
  for (DeviceId router = 0; router < size(); ++router) {
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
    for (const Neighbour& neighbour : neighbours(router)) cables_to[neighbour.router] = 0;
  }
}

std::uint32_t RouterGraph::cable_count(DeviceId a, DeviceId b) const {
  const auto around = neighbours(a);
  const auto found = std::lower_bound(around.begin(), around.end(), b,
                                      [](const Neighbour& n, DeviceId router) { return n.router < router; });
  return found != around.end() && found->router == b ? found->cables : 0;
}

std::vector<DeviceId> RouterGraph::common_neighbours(DeviceId a, DeviceId b) const {
  std::vector<DeviceId> found;
  for (const Neighbour& neighbour : neighbours(a)) {
    if (joins(neighbour.router, b)) found.push_back(neighbour.router);
  }
  return found;
}

/// Appends the routers that cables lead to from `start`, nearest first.
void RouterGraph::reach(DeviceId start, std::vector<bool>& seen, std::vector<DeviceId>& reached) const {
  const std::size_t first = reached.size();
  reached.push_back(start);
  seen[start] = true;
  for (std::size_t i = first; i < reached.size(); ++i) {
    for (const Neighbour& next : neighbours(reached[i])) {
      if (seen[next.router]) continue;
      seen[next.router] = true;
      reached.push_back(next.router);
    }
  }
}

std::vector<DeviceId> RouterGraph::by_distance_from(DeviceId start) const {
  std::vector<bool> seen(size(), false);
  std::vector<DeviceId> reached;
  reach(start, seen, reached);
  return reached;
}

std::vector<std::uint32_t> RouterGraph::hops_from(DeviceId start) const {
  std::vector<std::uint32_t> hops(size(), no_id);
  hops[start] = 0;
  for (const DeviceId here : by_distance_from(start)) {
    for (const Neighbour& next : neighbours(here)) {
      if (hops[next.router] == no_id) hops[next.router] = hops[here] + 1;
    }
  }
  return hops;
}

std::vector<DeviceId> RouterGraph::parts() const {
  std::vector<bool> seen(size(), false);
  std::vector<DeviceId> reached;
  std::vector<DeviceId> found;
  for (DeviceId start = 0; start < size(); ++start) {
    if (seen[start]) continue;
    found.push_back(start);
    reach(start, seen, reached);
  }
  return found;
}

std::vector<std::uint32_t> RouterGraph::part_numbers() const {
  std::vector<bool> seen(size(), false);
  std::vector<DeviceId> reached;
  std::vector<std::uint32_t> numbers(size(), 0);
  std::uint32_t part = 0;
  for (DeviceId start = 0; start < size(); ++start) {
    if (seen[start]) continue;
    const std::size_t first = reached.size();
    reach(start, seen, reached);
    for (std::size_t i = first; i < reached.size(); ++i) numbers[reached[i]] = part;
    ++part;
  }
  return numbers;
}

bool is_reachable(const Network& network, PortId from, PortId to) {
  if (from == to || network.port(from).peer == to) return true;
  const DeviceId first = network.router_of(from);
  const DeviceId last = network.router_of(to);
  if (first == no_id || last == no_id) return false;
  const auto reached = RouterGraph(network).by_distance_from(first);
  return std::ranges::find(reached, last) != reached.end();
}

}  // namespace ayatori
