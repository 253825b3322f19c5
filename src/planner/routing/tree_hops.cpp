#include "tree_hops.hpp"

#include <algorithm>

namespace ayatori {

TreeHops::TreeHops(const RouterGraph& graph, const RouterOrder& order, const Levels& levels)
    : parents_(graph,
               [&](DeviceId router, DeviceId other) {
                 if (levels.idle[router]) return order.is_above(other, router);
                 return !levels.idle[other] && levels.level[other] > levels.level[router];
               }),
      by_level_(order.from_the_top().begin(), order.from_the_top().end()),
      position_(graph.size()) {
  const auto height = [&](DeviceId router) { return levels.idle[router] ? -1 : int{levels.level[router]}; };
  std::ranges::stable_sort(by_level_, std::ranges::greater{}, height);
  for (std::uint32_t i = 0; i < by_level_.size(); ++i) position_[by_level_[i]] = i;
}

void TreeHops::aim(DeviceId destination) {
  hops_.assign(by_level_.size(), far);
  is_ancestor_.assign(by_level_.size(), 0);
  hops_[destination] = 0;
  std::vector<DeviceId> ancestors = {destination};
  for (std::size_t i = 0; i < ancestors.size(); ++i) {
    is_ancestor_[ancestors[i]] = 1;
    for (const DeviceId parent : parents_.of(ancestors[i])) {
      if (hops_[parent] != far) continue;
      hops_[parent] = hops_[ancestors[i]] + 1;
      ancestors.push_back(parent);
    }
  }
  for (const DeviceId router : by_level_) {
    if (hops_[router] != far) continue;
    for (const DeviceId parent : parents_.of(router)) hops_[router] = std::min(hops_[router], hops_[parent] + 1);
  }
}

}  // namespace ayatori
