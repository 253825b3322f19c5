#include "idle_links.hpp"

#include <algorithm>
#include <atomic>

#include "ayatori/base/parallel.hpp"
#include "ayatori/network/router_graph.hpp"
#include "packet_walk.hpp"

namespace ayatori {

namespace {

/// Hops between routers to the one at hand.
class Distances {
 public:
  explicit Distances(const RouterGraph& graph) : graph_(graph) {}

  void aim(DeviceId goal) {
    if (goal == goal_) return;
    goal_ = goal;
    hops_ = graph_.hops_from(goal);
  }
  [[nodiscard]] bool leads_nearer(DeviceId from, DeviceId to) const { return hops_[to] + 1 == hops_[from]; }

 private:
  const RouterGraph& graph_;
  DeviceId goal_ = no_id;
  std::vector<std::uint32_t> hops_;
};

/// By router: cables to other routers that carry nothing.
using IdleCables = std::vector<std::vector<RouterGraph::Cable>>;

IdleCables idle_cables(const Network& network, const RouterGraph& graph, std::span<const std::uint64_t> load) {
  IdleCables idle(graph.size());
  for (DeviceId router = 0; router < graph.size(); ++router) {
    for (const auto& cable : graph.cables(router)) {
      if (load[network.port_id(router, cable.port)] == 0) idle[router].push_back(cable);
    }
  }
  return idle;
}

/// Follows LIDs; each thread has one.
class Search {
 public:
  Search(const Network& network, const Routes& routes, const RouterGraph& graph, const IdleCables& idle,
         std::span<const std::uint64_t> load)
      : network_(network),
        routes_(routes),
        graph_(graph),
        idle_(idle),
        load_(load),
        walk_(network, routes.lids),
        distances_(graph),
        is_source_(graph.size(), false) {
    for (const PortId endpoint : network.endpoints()) {
      const DeviceId router = network.router_of(endpoint);
      if (router != no_id) is_source_[router] = true;
    }
  }

  /// Calls `found(port)` for each idle link that one of these LIDs could take.
  template <typename Found>
  void follow(const LidRange& range, Found&& found) {
    const DeviceId goal = network_.router_of(range.port);
    if (goal == no_id || network_.device(network_.port(range.port).device).kind != DeviceKind::nic) return;
    distances_.aim(goal);
    for (std::uint32_t j = 0; j < range.count(); ++j) {
      const auto lid = static_cast<Lid>(range.base + j);
      walk_.follow(lid, [&](DeviceId router) { return entry(router, lid); });
      passed_.assign(graph_.size(), false);
      for (DeviceId source = 0; source < graph_.size(); ++source) {
        if (!is_source_[source]) continue;
        for (DeviceId here = source; here != no_id && !passed_[here]; here = walk_.next(here)) {
          passed_[here] = true;
          pass(here, found);
        }
      }
    }
  }

 private:
  [[nodiscard]] TablePort entry(DeviceId router, Lid lid) const {
    const bool exists = router < routes_.tables.router_count() && lid <= routes_.tables.last_lid();
    return exists ? routes_.tables.out(router, lid) : ForwardingTables::no_port;
  }

  template <typename Found>
  void pass(DeviceId router, Found& found) const {
    if (walk_.link(router) == no_id || load_[walk_.link(router)] < 2) return;
    for (const RouterGraph::Cable& cable : idle_[router]) {
      if (distances_.leads_nearer(router, cable.peer)) found(network_.port_id(router, cable.port));
    }
  }

  const Network& network_;
  const Routes& routes_;
  const RouterGraph& graph_;
  const IdleCables& idle_;
  std::span<const std::uint64_t> load_;
  PacketWalk walk_;
  Distances distances_;
  std::vector<bool> is_source_;  // routers with NICs
  std::vector<bool> passed_;
};

}  // namespace

std::vector<PortId> find_idle_links(const Network& network, const Routes& routes, std::span<const std::uint64_t> load) {
  const RouterGraph graph(network);
  const IdleCables idle = idle_cables(network, graph, load);
  if (std::ranges::all_of(idle, [](const auto& cables) { return cables.empty(); })) return {};
  std::vector<std::uint8_t> is_found(network.port_count(), 0);
  const auto ranges = routes.lids.ranges();
  parallel_for({.count = ranges.size(), .piece = 16}, [&](Iterations& iterations) {
    Search search(network, routes, graph, idle, load);
    for (const std::size_t i : iterations) {
      search.follow(ranges[i],
                    [&](PortId port) { std::atomic_ref(is_found[port]).store(1, std::memory_order_relaxed); });
    }
  });
  std::vector<PortId> found;
  for (PortId port = 0; port < is_found.size(); ++port) {
    if (is_found[port] != 0) found.push_back(port);
  }
  return found;
}

}  // namespace ayatori
