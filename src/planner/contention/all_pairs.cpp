#include "ayatori/contention/all_pairs.hpp"

#include <algorithm>
#include <vector>

#include "ayatori/network/router_graph.hpp"

namespace ayatori {

namespace {

/// Sends packets to one LID after the other, all sources together: where their paths meet they stay together.
class PairCounter {
 public:
  PairCounter(const Network& network, const Routes& routes)
      : network_(network),
        routes_(routes),
        parts_(RouterGraph(network).part_numbers()),
        sources_(network.router_count(), 0),
        packets_(network.router_count()),
        hops_(network.router_count()),
        arrivals_(network.router_count()),
        load_(network.port_count(), 0) {
    for (const PortId endpoint : network.endpoints()) {
      if (network.router_of(endpoint) != no_id) ++sources_[network.router_of(endpoint)];
    }
  }

  void send_to(PortId goal, Lid lid, AllPairs& found) {
    goal_ = goal;
    lid_ = lid;
    const DeviceId goal_router = network_.router_of(goal);
    for (DeviceId router = 0; router < packets_.size(); ++router) {
      packets_[router] = parts_[router] == parts_[goal_router] ? sources_[router] - (router == goal_router ? 1 : 0) : 0;
      hops_[router] = 0;
      arrivals_[router] = 0;
      found.paths += packets_[router];
      found.unreachable += packets_[router];
    }
    for (DeviceId router = 0; router < packets_.size(); ++router) {
      if (const DeviceId next = next_router(router); next != no_id) ++arrivals_[next];
    }
    // A router's packets move on when no others can come to it any more; those in a loop never do.
    ready_.clear();
    for (DeviceId router = 0; router < packets_.size(); ++router) {
      if (arrivals_[router] == 0) ready_.push_back(router);
    }
    while (!ready_.empty()) {
      const DeviceId router = ready_.back();
      ready_.pop_back();
      forward(router, found);
    }
  }

  void add_up(AllPairs& found) const {
    std::uint64_t sum = 0;
    for (PortId link = 0; link < load_.size(); ++link) {
      if (!joins_routers(link)) continue;
      ++found.links;
      found.idle += load_[link] == 0 ? 1 : 0;
      sum += load_[link];
      if (load_[link] <= found.busiest) continue;
      found.busiest = load_[link];
      found.busiest_link = link;
    }
    found.mean = found.links == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(found.links);
  }

 private:
  [[nodiscard]] bool joins_routers(PortId link) const {
    const Port& port = network_.port(link);
    if (!port.connected() || !network_.is_router(port.device)) return false;
    const DeviceId other = network_.port(port.peer).device;
    return network_.is_router(other) && other != port.device;
  }

  /// The link by which the router sends packets to the LID; no_id if it drops them.
  [[nodiscard]] PortId link_from(DeviceId router) const {
    if (lid_ > routes_.tables.last_lid() || router >= routes_.tables.router_count()) return no_id;
    const PortNumber out = routes_.tables.out(router, lid_);
    if (out == 0 || out > network_.device(router).port_count) return no_id;
    const PortId link = network_.port_id(router, out);
    return network_.port(link).connected() ? link : no_id;
  }

  [[nodiscard]] DeviceId next_router(DeviceId router) const {
    const PortId link = link_from(router);
    return link != no_id && joins_routers(link) ? network_.port(network_.port(link).peer).device : no_id;
  }

  void forward(DeviceId router, AllPairs& found) {
    const PortId link = link_from(router);
    const DeviceId next = next_router(router);
    if (next == no_id) {
      if (link == no_id || network_.port(link).peer != goal_) return;
      found.unreachable -= packets_[router];
      if (packets_[router] > 0) found.longest = std::max(found.longest, hops_[router] + 2);
      return;
    }
    load_[link] += packets_[router];
    packets_[next] += packets_[router];
    if (packets_[router] > 0) hops_[next] = std::max(hops_[next], hops_[router] + 1);
    if (--arrivals_[next] == 0) ready_.push_back(next);
  }

  const Network& network_;
  const Routes& routes_;
  std::vector<std::uint32_t> parts_;    // by router
  std::vector<std::uint64_t> sources_;  // endpoints by router
  PortId goal_ = no_id;
  Lid lid_ = 0;
  std::vector<std::uint64_t> packets_;   // at each router
  std::vector<std::uint32_t> hops_;      // that the farthest of them came
  std::vector<std::uint32_t> arrivals_;  // routers that have not yet sent theirs here
  std::vector<DeviceId> ready_;
  std::vector<std::uint64_t> load_;  // by link
};

}  // namespace

AllPairs measure_all_pairs(const Network& network, const Routes& routes, LidsOfPairs which) {
  AllPairs found;
  PairCounter counter(network, routes);
  for (const PortId goal : network.endpoints()) {
    if (network.router_of(goal) == no_id) continue;
    const LidRange range = routes.lids.of(goal);
    const std::uint32_t lids = which == LidsOfPairs::all && range.base != 0 ? range.count() : 1;
    for (std::uint32_t j = 0; j < lids; ++j) counter.send_to(goal, static_cast<Lid>(range.base + j), found);
  }
  counter.add_up(found);
  return found;
}

}  // namespace ayatori
