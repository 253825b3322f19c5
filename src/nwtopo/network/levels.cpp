#include "ayatori/network/levels.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

#include "ayatori/network/router_graph.hpp"
#include "idle_routers.hpp"

namespace ayatori {

namespace {

constexpr std::uint32_t too_far = std::numeric_limits<std::uint8_t>::max();

class Ranking {
 public:
  explicit Ranking(const Network& network);

  [[nodiscard]] std::expected<Levels, NotATree> rank();

 private:
  [[nodiscard]] std::vector<DeviceId> routers_with_machines() const;
  [[nodiscard]] bool has_few_machines(DeviceId router, std::uint64_t leaves, std::uint64_t machines_there) const {
    return 2 * leaves * machine_cables_[router] <= machines_there;
  }

  void choose_leaves();
  [[nodiscard]] bool stands_above_leaves(DeviceId router) const;
  [[nodiscard]] bool lift_hidden_roots();
  [[nodiscard]] bool spans_pods(DeviceId leaf) const;

  void spread_from_leaves();
  [[nodiscard]] std::expected<void, NotATree> rank_by_distance();
  void rank_idle();
  void rank_idle_next_to(std::vector<DeviceId> ranked, std::vector<bool>& is_ranked);
  [[nodiscard]] std::expected<void, NotATree> check_cables() const;
  [[nodiscard]] std::string describe(std::uint8_t level) const;

  const Network& network_;
  RouterGraph graph_;
  std::vector<std::uint32_t> machine_cables_;  // by router
  std::vector<bool> is_leaf_;
  std::vector<std::uint32_t> distance_;  // by router: from the nearest leaf
  Levels levels_;
};

Ranking::Ranking(const Network& network)
    : network_(network), graph_(network), machine_cables_(network.router_count()), is_leaf_(network.router_count()) {
  for (const PortId endpoint : network.endpoints()) {
    const DeviceId router = network.router_of(endpoint);
    if (router != no_id) ++machine_cables_[router];
  }
}

std::vector<DeviceId> Ranking::routers_with_machines() const {
  std::vector<DeviceId> found;
  for (DeviceId router = 0; router < network_.router_count(); ++router) {
    if (machine_cables_[router] > 0) found.push_back(router);
  }
  return found;
}

/// Routers with many machines first, so that those with few are compared with routers that are certainly leaves.
void Ranking::choose_leaves() {
  auto candidates = routers_with_machines();
  std::sort(candidates.begin(), candidates.end(), [&](DeviceId a, DeviceId b) {
    return std::pair(machine_cables_[b], a) < std::pair(machine_cables_[a], b);
  });
  for (const DeviceId router : candidates) is_leaf_[router] = !stands_above_leaves(router);
}

bool Ranking::stands_above_leaves(DeviceId router) const {
  std::uint64_t leaves = 0;
  std::uint64_t machines_there = 0;
  for (const auto& other : graph_.neighbours(router)) {
    if (!is_leaf_[other.router]) continue;
    ++leaves;
    machines_there += machine_cables_[other.router];
  }
  return leaves >= 2 && has_few_machines(router, leaves, machines_there);
}

/// A root of three levels is not cabled to leaves; with a management host it looks like one more leaf of every pod.
bool Ranking::lift_hidden_roots() {
  std::uint64_t leaves = 0;
  std::uint64_t machines_there = 0;
  for (DeviceId router = 0; router < network_.router_count(); ++router) {
    if (!is_leaf_[router]) continue;
    ++leaves;
    machines_there += machine_cables_[router];
  }
  bool lifted = false;
  for (const DeviceId router : routers_with_machines()) {
    if (!is_leaf_[router] || !has_few_machines(router, leaves, machines_there) || !spans_pods(router)) continue;
    is_leaf_[router] = false;
    lifted = true;
  }
  return lifted;
}

/// The routers above a true leaf serve its whole pod: another leaf has most of them as neighbours too, or has none of
/// them. Routers that serve no other leaf say nothing: they may belong to a pod that is switched off.
bool Ranking::spans_pods(DeviceId leaf) const {
  std::unordered_map<DeviceId, std::size_t> shared;
  std::size_t above = 0;
  for (const auto& router : graph_.neighbours(leaf)) {
    bool serves_others = false;
    for (const auto& other : graph_.neighbours(router.router)) {
      if (!is_leaf_[other.router] || other.router == leaf) continue;
      ++shared[other.router];
      serves_others = true;
    }
    above += serves_others ? 1 : 0;
  }
  std::size_t max_shared = 0;
  for (const auto& [other, count] : shared) max_shared = std::max(max_shared, count);
  return above >= 2 && 2 * max_shared <= above;
}

std::string Ranking::describe(std::uint8_t level) const {
  return level == 0 ? "both leaves" : fmt::format("both {} above the leaves", level);
}

void Ranking::spread_from_leaves() {
  distance_.assign(graph_.size(), unreached);
  std::vector<DeviceId> reached;
  for (DeviceId router = 0; router < graph_.size(); ++router) {
    if (!is_leaf_[router]) continue;
    distance_[router] = 0;
    reached.push_back(router);
  }
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const auto& other : graph_.neighbours(reached[i])) {
      if (distance_[other.router] != unreached) continue;
      distance_[other.router] = distance_[reached[i]] + 1;
      reached.push_back(other.router);
    }
  }
}

std::expected<void, NotATree> Ranking::rank_by_distance() {
  std::vector<bool> has_machines(graph_.size());
  for (const DeviceId router : routers_with_machines()) has_machines[router] = true;
  levels_.idle = find_idle_routers(graph_, distance_, has_machines);
  levels_.level.assign(graph_.size(), 0);
  levels_.count = 1;
  for (DeviceId router = 0; router < graph_.size(); ++router) {
    if (levels_.idle[router]) continue;
    if (distance_[router] >= too_far) {
      const auto first = std::ranges::find(distance_, too_far);
      return std::unexpected(
          NotATree{fmt::format("{} is {} cables or more away from any leaf",
                               network_.name(static_cast<DeviceId>(first - distance_.begin())), too_far)});
    }
    levels_.level[router] = static_cast<std::uint8_t>(distance_[router]);
    levels_.count = std::max(levels_.count, static_cast<std::uint8_t>(levels_.level[router] + 1));
  }
  rank_idle();
  return {};
}

/// Nobody climbs through idle routers: whatever level they have, it is for those who draw or list them.
void Ranking::rank_idle() {
  std::vector<bool> is_ranked(graph_.size());
  std::vector<DeviceId> ranked;
  for (DeviceId router = 0; router < graph_.size(); ++router) {
    is_ranked[router] = !levels_.idle[router];
    if (is_ranked[router]) ranked.push_back(router);
  }
  rank_idle_next_to(std::move(ranked), is_ranked);
  for (DeviceId router = 0; router < graph_.size(); ++router) {
    if (is_ranked[router]) continue;
    is_ranked[router] = true;
    rank_idle_next_to({router}, is_ranked);
  }
}

/// A level below what they hang on; what hangs on a leaf, or ends there, goes up again.
void Ranking::rank_idle_next_to(std::vector<DeviceId> ranked, std::vector<bool>& is_ranked) {
  const auto above_leaf = static_cast<std::uint8_t>(std::min(levels_.count - 1, 1));
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    const std::uint8_t level = levels_.level[ranked[i]];
    for (const auto& other : graph_.neighbours(ranked[i])) {
      if (is_ranked[other.router]) continue;
      is_ranked[other.router] = true;
      levels_.level[other.router] = level > 0 ? static_cast<std::uint8_t>(level - 1) : above_leaf;
      ranked.push_back(other.router);
    }
  }
}

std::expected<void, NotATree> Ranking::check_cables() const {
  for (DeviceId router = 0; router < network_.router_count(); ++router) {
    for (const Port& port : network_.ports(router)) {
      if (!port.connected()) continue;
      const Port& peer = network_.port(port.peer);
      if (!network_.is_router(peer.device) || peer.device == router) continue;
      if (levels_.level[router] != levels_.level[peer.device]) continue;
      if (levels_.idle[router] || levels_.idle[peer.device]) continue;
      return std::unexpected(
          NotATree{fmt::format("{} port {} and {} port {}, {}, are cabled", network_.name(router), port.number,
                               network_.name(peer.device), peer.number, describe(levels_.level[router]))});
    }
  }
  return {};
}

std::expected<Levels, NotATree> Ranking::rank() {
  if (network_.router_count() == 0) return std::unexpected(NotATree{"there is no router"});
  if (routers_with_machines().empty()) return std::unexpected(NotATree{"no router has a machine"});
  choose_leaves();
  spread_from_leaves();
  if (lift_hidden_roots()) spread_from_leaves();
  if (auto ranked = rank_by_distance(); !ranked) return std::unexpected(ranked.error());
  if (auto checked = check_cables(); !checked) return std::unexpected(checked.error());
  return std::move(levels_);
}

}  // namespace

std::expected<Levels, NotATree> rank_levels(const Network& network) { return Ranking(network).rank(); }

}  // namespace ayatori
