#include "level_routes.hpp"

#include <algorithm>

namespace ayatori {

LevelRoutes::LevelRoutes(const RouterGraph& graph, const RouterOrder& order, const Levels& levels)
    : graph_(graph), tree_(graph, order, levels) {}

void LevelRoutes::aim(DeviceId destination) {
  tree_.aim(destination);
  hops_ = tree_.hops();
  std::vector<DeviceId> reached;
  for (DeviceId router = 0; router < hops_.size(); ++router) {
    if (hops_[router] != far) reached.push_back(router);
  }
  std::ranges::stable_sort(reached, {}, [&](DeviceId router) { return hops_[router]; });
  // Nearest first: those that are reached from here on come last.
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const auto& neighbour : graph_.neighbours(reached[i])) {
      if (hops_[neighbour.router] != far) continue;
      hops_[neighbour.router] = hops_[reached[i]] + 1;
      reached.push_back(neighbour.router);
    }
  }
}

}  // namespace ayatori
