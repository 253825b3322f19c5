#include "fabric_paths.hpp"

#include <algorithm>
#include <numeric>

namespace ayatori {

FabricPaths::FabricPaths(const Network& network) : graph_(network), levels_(rank_levels(network)) {
  if (levels_) tree_ = std::make_unique<TreePaths>(graph_, *levels_);
  std::vector<bool> has_machines(network.router_count(), false);
  for (const PortId endpoint : network.endpoints()) {
    const DeviceId router = network.router_of(endpoint);
    if (router != no_id) has_machines[router] = true;
  }
  for (DeviceId router = 0; router < network.router_count(); ++router) {
    if (has_machines[router]) leaves_.push_back({router, static_cast<std::uint32_t>(to(router).size())});
  }
}

std::vector<PathNumber> FabricPaths::to(DeviceId router) const {
  if (tree_) return tree_->of(router);
  std::vector<PathNumber> paths(std::max<std::size_t>(graph_.cables(router).size(), 1));
  std::iota(paths.begin(), paths.end(), 0);
  return paths;
}

std::uint32_t FabricPaths::max_paths() const {
  std::uint32_t most = 1;
  for (const Leaf& leaf : leaves_) most = std::max(most, leaf.paths);
  return most;
}

}  // namespace ayatori
