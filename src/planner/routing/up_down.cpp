#include "up_down.hpp"

#include <algorithm>

namespace ayatori {

UpDown::UpDown(const RouterGraph& graph, const RouterOrder& order, const Levels* levels)
    : above_(graph, [&](DeviceId router, DeviceId other) { return order.is_above(other, router); }),
      below_(graph, [&](DeviceId router, DeviceId other) { return order.is_above(router, other); }),
      order_(order.from_the_top().begin(), order.from_the_top().end()),
      position_(graph.size()) {
  for (std::uint32_t i = 0; i < order_.size(); ++i) position_[order_[i]] = i;
  if (levels != nullptr) tree_hops_.emplace(graph, order, *levels);
}

void UpDown::aim(DeviceId destination) {
  tree_.assign(order_.size(), far);
  if (tree_hops_) {
    tree_hops_->aim(destination);
    tree_ = tree_hops_->hops();
  }
  find_ways_down(destination);
  find_hops(destination);
  if (hops_[order_.front()] < far) return;
  // Every router reaches the top; for packets to get down from there, some router has to leave its tree route.
  tree_.assign(order_.size(), far);
  find_ways_down(destination);
  find_hops(destination);
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
