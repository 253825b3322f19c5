#include "path_tree.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace ayatori {

void TreeGrower::begin(DeviceId destination, PathTree& tree) {
  tree.assign(channels_.router_count(), no_channel);
  std::ranges::fill(found_, Found{});
  found_[destination].length = 0;
  joined_.assign(1, destination);
}

/// Finds the routers outside of the tree that have paths of this length into it, and the best of these.
void TreeGrower::reach_from(const Layers& layers, std::uint32_t length, const Weights& weights) {
  reached_.clear();
  for (std::size_t i = layers.previous; i < joined_.size(); ++i) {
    const DeviceId near = joined_[i];
    const ChannelId end = channels_.first(near) + channels_.count(near);
    for (ChannelId away = channels_.first(near); away < end; ++away) {
      Found& found = found_[channels_[away].to];
      const ChannelId back = channels_[away].back;
      if (found.length != far || found_[near].length + weights.length(back) != length) continue;
      const double cost = found_[near].cost + weights.costs[back];
      if (found.channel == no_channel) {
        reached_.push_back(channels_[away].to);
      } else if (std::pair(found.cost, found.channel) < std::pair(cost, back)) {
        continue;
      }
      found.cost = cost;
      found.channel = back;
    }
  }
}

/// Replaces the path that a router has found by the next best of this length; no_channel if there is none.
void TreeGrower::find_next_best(DeviceId router, std::uint32_t length, const Weights& weights) {
  Found& found = found_[router];
  const std::pair refused(found.cost, found.channel);
  std::pair best(std::numeric_limits<double>::infinity(), no_channel);
  const ChannelId end = channels_.first(router) + channels_.count(router);
  for (ChannelId channel = channels_.first(router); channel < end; ++channel) {
    const Found& next = found_[channels_[channel].to];
    if (next.length == far || next.length + weights.length(channel) != length) continue;
    const std::pair candidate(next.cost + weights.costs[channel], channel);
    if (refused < candidate && candidate < best) best = candidate;
  }
  std::tie(found.cost, found.channel) = best;
}

bool TreeGrower::all_hosts_joined() const {
  for (DeviceId router = 0; router < found_.size(); ++router) {
    if (hosts_[router] > 0 && found_[router].length == far) return false;
  }
  return true;
}

}  // namespace ayatori
