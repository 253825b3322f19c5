#include "ayatori/network/levels.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

namespace ayatori {

namespace {

constexpr std::uint8_t unranked = std::numeric_limits<std::uint8_t>::max();

class Ranking {
 public:
  explicit Ranking(const Network& network);

  [[nodiscard]] std::expected<Levels, NotATree> rank();

 private:
  /// Calls `visit(neighbour)` for each cable to another router; parallel cables count each.
  template <typename Visit>
  void for_neighbours(DeviceId router, Visit&& visit) const {
    for (const Port& port : network_.ports(router)) {
      if (!port.connected()) continue;
      const DeviceId other = network_.port(port.peer).device;
      if (other != router && network_.is_router(other)) visit(other);
    }
  }
  [[nodiscard]] std::vector<DeviceId> neighbours(DeviceId router) const;
  [[nodiscard]] std::vector<DeviceId> routers_with_machines() const;
  [[nodiscard]] bool has_few_machines(DeviceId router, std::uint64_t leaves, std::uint64_t machines_there) const {
    return 2 * leaves * machine_cables_[router] <= machines_there;
  }

  void choose_leaves();
  [[nodiscard]] bool stands_above_leaves(DeviceId router) const;
  [[nodiscard]] bool lift_hidden_roots();
  [[nodiscard]] bool spans_pods(DeviceId leaf) const;
  class LeafLikeness;
  [[nodiscard]] bool add_empty_leaves();

  [[nodiscard]] std::expected<void, NotATree> spread_from_leaves();
  [[nodiscard]] std::expected<void, NotATree> check_cables() const;
  [[nodiscard]] std::string describe(std::uint8_t level) const;

  const Network& network_;
  std::vector<std::uint32_t> machine_cables_;  // by router
  std::vector<bool> is_leaf_;
  Levels levels_;
};

Ranking::Ranking(const Network& network)
    : network_(network), machine_cables_(network.router_count()), is_leaf_(network.router_count()) {
  for (const PortId endpoint : network.endpoints()) {
    const DeviceId router = network.router_of(endpoint);
    if (router != no_id) ++machine_cables_[router];
  }
}

std::vector<DeviceId> Ranking::neighbours(DeviceId router) const {
  std::vector<DeviceId> found;
  for_neighbours(router, [&](DeviceId other) { found.push_back(other); });
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
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
  for (const DeviceId other : neighbours(router)) {
    if (!is_leaf_[other]) continue;
    ++leaves;
    machines_there += machine_cables_[other];
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
/// them.
bool Ranking::spans_pods(DeviceId leaf) const {
  const auto above = neighbours(leaf);
  std::unordered_map<DeviceId, std::size_t> shared;
  std::size_t serve_others = 0;
  for (const DeviceId router : above) {
    bool serves_others = false;
    for (const DeviceId other : neighbours(router)) {
      if (!is_leaf_[other] || other == leaf) continue;
      ++shared[other];
      serves_others = true;
    }
    if (serves_others) ++serve_others;
  }
  std::size_t max_shared = 0;
  for (const auto& [other, count] : shared) max_shared = std::max(max_shared, count);
  return above.size() >= 2 && serve_others == above.size() && 2 * max_shared <= above.size();
}

/// Looks for the leaves that a router shares its neighbours with.
class Ranking::LeafLikeness {
 public:
  explicit LeafLikeness(const Ranking& ranking)
      : is_leaf_(ranking.is_leaf_), shared_(ranking.network_.router_count(), 0) {
    for (DeviceId router = 0; router < shared_.size(); ++router) around_.push_back(ranking.neighbours(router));
  }

  /// A leaf is cabled to the routers above its pod, a router above the pods to some in each pod. Some cables may be
  /// missing.
  [[nodiscard]] bool is_cabled_like_a_leaf(DeviceId router) {
    leaves_.clear();
    for (const DeviceId above : around_[router]) {
      for (const DeviceId leaf : around_[above]) {
        if (is_leaf_[leaf] && shared_[leaf]++ == 0) leaves_.push_back(leaf);
      }
    }
    const bool found = std::ranges::any_of(leaves_, [&](DeviceId leaf) {
      return 4 * shared_[leaf] >= 3 * std::max(around_[router].size(), around_[leaf].size());
    });
    for (const DeviceId leaf : leaves_) shared_[leaf] = 0;
    return found;
  }

 private:
  const std::vector<bool>& is_leaf_;
  std::vector<std::vector<DeviceId>> around_;  // by router
  std::vector<std::size_t> shared_;            // by leaf: neighbours in common with the router that is looked at
  std::vector<DeviceId> leaves_;               // that have any
};

/// Without this, a switch at the edge whose machines are gone, or not there yet, would be ranked above the spines.
bool Ranking::add_empty_leaves() {
  LeafLikeness likeness(*this);
  std::vector<DeviceId> empty;
  for (DeviceId router = 0; router < network_.router_count(); ++router) {
    const bool may_be_one = levels_.level[router] == 2 && machine_cables_[router] == 0;
    if (may_be_one && likeness.is_cabled_like_a_leaf(router)) empty.push_back(router);
  }
  for (const DeviceId router : empty) is_leaf_[router] = true;
  return !empty.empty();
}

std::string Ranking::describe(std::uint8_t level) const {
  return level == 0 ? "both leaves" : fmt::format("both {} above the leaves", level);
}

std::expected<void, NotATree> Ranking::spread_from_leaves() {
  levels_.level.assign(network_.router_count(), unranked);
  std::vector<DeviceId> reached;
  for (DeviceId router = 0; router < network_.router_count(); ++router) {
    if (!is_leaf_[router]) continue;
    levels_.level[router] = 0;
    reached.push_back(router);
  }
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const auto above = static_cast<std::uint8_t>(levels_.level[reached[i]] + 1);
    bool too_high = false;
    for_neighbours(reached[i], [&](DeviceId other) {
      if (levels_.level[other] != unranked) return;
      too_high |= above == unranked;
      levels_.level[other] = above;
      reached.push_back(other);
    });
    if (too_high) {
      return std::unexpected(
          NotATree{fmt::format("{} is {} cables or more away from any leaf", network_.name(reached.back()), unranked)});
    }
  }
  if (reached.size() < network_.router_count()) {
    const auto lost = std::find(levels_.level.begin(), levels_.level.end(), unranked);
    const auto router = static_cast<DeviceId>(lost - levels_.level.begin());
    return std::unexpected(
        NotATree{fmt::format("no cables lead from {} to a router with machines", network_.name(router))});
  }
  levels_.count = static_cast<std::uint8_t>(*std::max_element(levels_.level.begin(), levels_.level.end()) + 1);
  return {};
}

std::expected<void, NotATree> Ranking::check_cables() const {
  for (DeviceId router = 0; router < network_.router_count(); ++router) {
    for (const Port& port : network_.ports(router)) {
      if (!port.connected()) continue;
      const Port& peer = network_.port(port.peer);
      if (!network_.is_router(peer.device) || peer.device == router) continue;
      if (levels_.level[router] != levels_.level[peer.device]) continue;
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
  if (auto spread = spread_from_leaves(); !spread) return std::unexpected(spread.error());
  if (levels_.count > 2 && lift_hidden_roots()) {
    if (auto spread = spread_from_leaves(); !spread) return std::unexpected(spread.error());
  }
  if (levels_.count > 2 && add_empty_leaves()) {
    if (auto spread = spread_from_leaves(); !spread) return std::unexpected(spread.error());
  }
  if (auto checked = check_cables(); !checked) return std::unexpected(checked.error());
  return std::move(levels_);
}

}  // namespace

std::expected<Levels, NotATree> rank_levels(const Network& network) { return Ranking(network).rank(); }

}  // namespace ayatori
