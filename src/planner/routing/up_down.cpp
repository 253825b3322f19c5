#include "up_down.hpp"

#include <algorithm>

namespace ayatori {

template <typename Select>
UpDown::Neighbours UpDown::select(const RouterGraph& graph, Select&& wanted) {
  Neighbours selected;
  for (DeviceId router = 0; router < graph.size(); ++router) {
    for (const auto& neighbour : graph.neighbours(router)) {
      if (wanted(router, neighbour.router)) selected.routers.push_back(neighbour.router);
    }
    selected.first.push_back(static_cast<std::uint32_t>(selected.routers.size()));
  }
  return selected;
}

UpDown::UpDown(const RouterGraph& graph, const RouterOrder& order, const Levels* levels)
    : above_(select(graph, [&](DeviceId router, DeviceId other) { return order.is_above(other, router); })),
      below_(select(graph, [&](DeviceId router, DeviceId other) { return order.is_above(router, other); })),
      order_(order.from_the_top().begin(), order.from_the_top().end()),
      position_(graph.size()) {
  for (std::uint32_t i = 0; i < order_.size(); ++i) position_[order_[i]] = i;
  if (levels == nullptr) return;
  parents_ = select(graph, [&](DeviceId router, DeviceId other) {
    if (levels->idle[router]) return order.is_above(other, router);
    return !levels->idle[other] && levels->level[other] > levels->level[router];
  });
  by_level_ = order_;
  const auto height = [&](DeviceId router) { return levels->idle[router] ? -1 : int{levels->level[router]}; };
  std::stable_sort(by_level_.begin(), by_level_.end(), [&](DeviceId a, DeviceId b) { return height(a) > height(b); });
}

void UpDown::aim(DeviceId destination) {
  tree_.assign(order_.size(), far);
  if (!by_level_.empty()) find_tree_hops(destination);
  find_ways_down(destination);
  find_hops(destination);
  if (hops_[order_.front()] < far) return;
  // Every router reaches the top; for packets to get down from there, some router has to leave its tree route.
  tree_.assign(order_.size(), far);
  find_ways_down(destination);
  find_hops(destination);
}

void UpDown::find_tree_hops(DeviceId destination) {
  tree_[destination] = 0;
  std::vector<DeviceId> ancestors = {destination};
  for (std::size_t i = 0; i < ancestors.size(); ++i) {
    for (const DeviceId parent : parents_.of(ancestors[i])) {
      if (tree_[parent] != far) continue;
      tree_[parent] = tree_[ancestors[i]] + 1;
      ancestors.push_back(parent);
    }
  }
  for (const DeviceId router : by_level_) {
    if (tree_[router] != far) continue;
    for (const DeviceId parent : parents_.of(router)) tree_[router] = std::min(tree_[router], tree_[parent] + 1);
  }
}

void UpDown::find_ways_down(DeviceId destination) {
  down_.assign(order_.size(), far);
  down_[destination] = 0;
  for (std::uint32_t i = position_[destination] + 1; i-- > 0;) {
    const DeviceId router = order_[i];
    if (down_[router] > tree_[router]) down_[router] = far;
    if (down_[router] == far) continue;
    for (const DeviceId above : above_.of(router)) down_[above] = std::min(down_[above], down_[router] + 1);
  }
}

void UpDown::find_hops(DeviceId destination) {
  hops_.assign(order_.size(), far);
  descended_to_.assign(order_.size(), 0);
  hops_[destination] = 0;
  descended_to_[destination] = 1;
  for (const DeviceId router : order_) {
    if (router == destination) continue;
    std::uint32_t climb = far;
    for (const DeviceId above : above_.of(router)) climb = std::min(climb, hops_[above] + 1);
    // Off the tree routes a router does not make others descend if it can climb as well.
    const bool climbs = climb < down_[router] || (climb == down_[router] && tree_[router] == far);
    if (climbs && !descended_to_[router]) {
      hops_[router] = climb;
    } else {
      descend_from(router);
    }
  }
}

void UpDown::descend_from(DeviceId router) {
  hops_[router] = down_[router];
  if (down_[router] == far) return;
  for (const DeviceId below : below_.of(router)) {
    if (down_[below] + 1 == down_[router]) descended_to_[below] = 1;
  }
}

}  // namespace ayatori
