#include "leaves.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

namespace ayatori::slurm {

namespace {

constexpr std::uint8_t unranked = std::numeric_limits<std::uint8_t>::max();

/// The routers of each machine, once each, by id.
std::vector<std::vector<DeviceId>> routers_by_machine(const Network& network) {
  std::vector<std::vector<DeviceId>> routers(network.machines().size());
  for (MachineId id = 0; id < routers.size(); ++id) {
    for (const PortId endpoint : network.machine(id).endpoints) {
      if (const DeviceId router = network.router_of(endpoint); router != no_id) routers[id].push_back(router);
    }
    std::ranges::sort(routers[id]);
  }
  return routers;
}

/// Cables between leaves do not count as a path: leaves are on one level.
class LeafLevels {
 public:
  LeafLevels(const Network& network, const RouterGraph& graph) : graph_(graph), is_leaf_(graph.size(), false) {
    for (const PortId endpoint : network.endpoints()) {
      if (const DeviceId router = network.router_of(endpoint); router != no_id) is_leaf_[router] = true;
    }
  }

  /// Nothing if some routers are no tree above the leaves.
  [[nodiscard]] std::optional<Levels> rank() const;

 private:
  [[nodiscard]] bool leaves_are_cabled_each_to_each() const;
  [[nodiscard]] bool spread(Levels& levels) const;

  const RouterGraph& graph_;
  std::vector<bool> is_leaf_;
};

/// The leaves that a leaf is cabled to, with it, are the same for each of them.
bool LeafLevels::leaves_are_cabled_each_to_each() const {
  const auto with_neighbours = [&](DeviceId leaf) {
    std::vector<DeviceId> found = {leaf};
    for (const auto& neighbour : graph_.neighbours(leaf)) {
      if (is_leaf_[neighbour.router]) found.push_back(neighbour.router);
    }
    std::ranges::sort(found);
    return found;
  };
  std::vector<bool> seen(graph_.size(), false);
  for (DeviceId leaf = 0; leaf < graph_.size(); ++leaf) {
    if (!is_leaf_[leaf] || seen[leaf]) continue;
    const auto around = with_neighbours(leaf);
    for (const DeviceId other : around) {
      if (with_neighbours(other) != around) return false;
      seen[other] = true;
    }
  }
  return true;
}

bool LeafLevels::spread(Levels& levels) const {
  std::vector<DeviceId> reached;
  for (DeviceId router = 0; router < graph_.size(); ++router) {
    if (!is_leaf_[router]) continue;
    levels.level[router] = 0;
    reached.push_back(router);
  }
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const std::uint8_t here = levels.level[reached[i]];
    for (const auto& neighbour : graph_.neighbours(reached[i])) {
      std::uint8_t& there = levels.level[neighbour.router];
      if (there == here && here > 0) return false;
      if (there != unranked) continue;
      if (here + 1 == unranked) return false;
      there = static_cast<std::uint8_t>(here + 1);
      reached.push_back(neighbour.router);
    }
  }
  return !reached.empty() && reached.size() == graph_.size();
}

std::optional<Levels> LeafLevels::rank() const {
  Levels levels{std::vector<std::uint8_t>(graph_.size(), unranked), std::vector<bool>(graph_.size(), false), 0};
  if (!leaves_are_cabled_each_to_each() || !spread(levels)) return std::nullopt;
  levels.count = static_cast<std::uint8_t>(*std::ranges::max_element(levels.level) + 1);
  return levels;
}

}  // namespace

std::expected<Levels, NotATree> levels_for_slurm(const Network& network, const RouterGraph& graph) {
  auto levels = rank_levels(network);
  if (levels) return levels;
  if (auto levels = LeafLevels(network, graph).rank()) return std::move(*levels);
  return levels;
}

JoinedLeaves::JoinedLeaves(const Network& network, const Levels& levels)
    : router_of_(network.machines().size(), no_id), members_(network.router_count()) {
  std::vector<std::size_t> machines(network.router_count(), 0);
  std::map<std::pair<DeviceId, DeviceId>, std::size_t> shared;
  for (DeviceId router = 0; router < network.router_count(); ++router) first_.push_back(router);
  const auto routers_of = routers_by_machine(network);
  for (MachineId id = 0; id < routers_of.size(); ++id) {
    std::vector<DeviceId> routers = routers_of[id];
    const auto rank = [&](DeviceId router) {
      return std::tuple(-std::ranges::count(routers_of[id], router), levels.level[router], router);
    };
    if (!routers.empty()) router_of_[id] = *std::ranges::min_element(routers, {}, rank);
    routers.erase(std::unique(routers.begin(), routers.end()), routers.end());
    for (std::size_t a = 0; a < routers.size(); ++a) {
      ++machines[routers[a]];
      for (std::size_t b = a + 1; b < routers.size(); ++b) ++shared[{routers[a], routers[b]}];
    }
  }
  const auto find = [&](DeviceId router) {
    while (first_[router] != router) router = first_[router] = first_[first_[router]];
    return router;
  };
  for (const auto& [pair, count] : shared) {
    const auto [a, b] = pair;
    if (levels.level[a] != levels.level[b] || 2 * count < std::max(machines[a], machines[b])) continue;
    const DeviceId one = find(a);
    const DeviceId other = find(b);
    first_[std::max(one, other)] = std::min(one, other);
  }
  for (DeviceId router = 0; router < first_.size(); ++router) {
    first_[router] = find(router);
    members_[first_[router]].push_back(router);
  }
}

}  // namespace ayatori::slurm
