#include "packet_walk.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace ayatori {

PacketWalk::PacketWalk(const Network& network, const LidMap& lids)
    : network_(network),
      lids_(lids),
      fate_(network.router_count()),
      links_(network.router_count()),
      link_(network.router_count()) {}

void PacketWalk::begin(Lid lid) {
  lid_ = lid;
  goal_ = lids_.owner(lid);
  std::fill(fate_.begin(), fate_.end(), Fate::unknown);
  std::fill(link_.begin(), link_.end(), no_id);
}

void PacketWalk::take_hop(DeviceId router, PortNumber out) {
  fate_[router] = Fate::lost;
  if (out == 0) {
    if (network_.port_id(router, 0) != goal_) return;
    fate_[router] = Fate::arrives;
    links_[router] = 0;
    return;
  }
  if (out == ForwardingTables::no_port || out > network_.device(router).port_count) return;
  const PortId link = network_.port_id(router, out);
  const PortId arrival = network_.port(link).peer;
  if (arrival == no_id) return;
  if (network_.is_router(network_.port(arrival).device)) {
    fate_[router] = Fate::unknown;
    link_[router] = link;
  } else if (arrival == goal_) {
    fate_[router] = Fate::arrives;
    links_[router] = 1;
  }
}

void PacketWalk::walk_from(DeviceId router) {
  path_.clear();
  DeviceId here = router;
  while (fate_[here] == Fate::unknown) {
    fate_[here] = Fate::under_way;
    path_.push_back(here);
    here = next(here);
  }
  const Fate end = fate_[here] == Fate::under_way ? Fate::loops : fate_[here];
  for (auto before = path_.rbegin(); before != path_.rend(); ++before) {
    fate_[*before] = end;
    links_[*before] = links_[here] + 1;
    here = *before;
  }
}

void PacketWalk::describe_problems(std::span<const TablePort> out, std::size_t most,
                                   const std::function<bool(DeviceId)>& concerns,
                                   std::vector<std::string>& problems) const {
  std::vector<bool> reported(fate_.size(), false);
  for (DeviceId router = 0; router < fate_.size() && problems.size() < most; ++router) {
    if (!concerns(router)) continue;
    if (fate_[router] == Fate::lost && link_[router] == no_id) problems.push_back(describe_loss(router, out[router]));
    if (fate_[router] != Fate::loops || reported[router]) continue;
    // Many routers may lead into one loop: follow each to a router that was already reported, or into a new loop.
    DeviceId here = router;
    std::vector<DeviceId> path;
    while (!reported[here]) {
      reported[here] = true;
      path.push_back(here);
      here = next(here);
    }
    if (std::find(path.begin(), path.end(), here) != path.end()) problems.push_back(describe_loop(here));
  }
}

std::string PacketWalk::describe_lid() const {
  const Port& port = network_.port(goal_);
  return fmt::format("LID {:#06x} ('{}' port {})", lid_, network_.name(port.device), port.number);
}

std::string PacketWalk::describe_loss(DeviceId router, PortNumber out) const {
  const auto name = network_.name(router);
  if (out == ForwardingTables::no_port) return fmt::format("'{}' has no entry for {}", name, describe_lid());
  if (out == 0) return fmt::format("'{}' takes {} for its own", name, describe_lid());
  if (out > network_.device(router).port_count) {
    return fmt::format("'{}' sends {} to port {}, but its ports are 1 to {}", name, describe_lid(), out,
                       network_.device(router).port_count);
  }
  const PortId arrival = network_.port(network_.port_id(router, out)).peer;
  if (arrival == no_id) return fmt::format("'{}' sends {} to port {}, which has no cable", name, describe_lid(), out);
  const Port& port = network_.port(arrival);
  return fmt::format("'{}' sends {} to port {}, where '{}' port {} is", name, describe_lid(), out,
                     network_.name(port.device), port.number);
}

std::string PacketWalk::describe_loop(DeviceId router) const {
  std::string way(network_.name(router));
  DeviceId here = next(router);
  for (; here != router; here = next(here)) way.append(" -> ").append(network_.name(here));
  return fmt::format("{} goes round: {} -> {}", describe_lid(), way, network_.name(router));
}

}  // namespace ayatori
