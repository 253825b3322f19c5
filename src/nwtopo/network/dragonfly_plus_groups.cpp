#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "router_groups.hpp"
#include "shape_parts.hpp"

namespace ayatori {

namespace {

bool are_cabled_alike(const Adjacency& graph, std::uint32_t a, std::uint32_t b) {
  std::vector<std::uint32_t> shared;
  std::ranges::set_intersection(graph[a], graph[b], std::back_inserter(shared));
  return are_most(shared.size(), std::max(graph[a].size(), graph[b].size()));
}

/// The routers with hosts, without spines that have a few (management hosts), and with leaves that have none.
std::vector<bool> leaves_by_hosts(const Adjacency& graph, std::span<const std::uint32_t> hosts) {
  std::vector<bool> is_leaf(graph.size());
  for (std::uint32_t router = 0; router < graph.size(); ++router) is_leaf[router] = hosts[router] > 0;
  for (std::uint32_t router = 0; router < graph.size(); ++router) {
    const auto has_far_more = [&](std::uint32_t other) { return hosts[other] >= 2 * hosts[router]; };
    if (hosts[router] > 0 && std::ranges::count_if(graph[router], has_far_more) >= 2) is_leaf[router] = false;
  }
  const std::vector<bool> with_hosts = is_leaf;
  for (std::uint32_t router = 0; router < graph.size(); ++router) {
    if (hosts[router] > 0 || graph[router].empty()) continue;
    std::set<std::uint32_t> nearby;
    for (const std::uint32_t spine : graph[router]) {
      if (with_hosts[spine]) nearby.clear();
      if (with_hosts[spine]) break;  // a spine: leaves are not joined to leaves
      for (const std::uint32_t leaf : graph[spine]) {
        if (with_hosts[leaf]) nearby.insert(leaf);
      }
    }
    is_leaf[router] =
        std::ranges::any_of(nearby, [&](std::uint32_t leaf) { return are_cabled_alike(graph, router, leaf); });
  }
  return is_leaf;
}

/// Leaves that share at least half of their spines are of one group, and each spine is of the group that most of its
/// leaves are of.
class LeafGrouping {
 public:
  LeafGrouping(const Adjacency& graph, const std::vector<bool>& is_leaf) : graph_(graph), is_leaf_(is_leaf) {}

  [[nodiscard]] std::optional<GroupNumbers> group();

 private:
  void join_leaves(DisjointSets& sets) const;
  [[nodiscard]] bool take_spines();

  const Adjacency& graph_;
  const std::vector<bool>& is_leaf_;
  GroupNumbers group_;
};

void LeafGrouping::join_leaves(DisjointSets& sets) const {
  std::vector<std::uint32_t> spines_shared(graph_.size());
  std::vector<std::uint32_t> nearby;
  for (std::uint32_t leaf = 0; leaf < graph_.size(); ++leaf) {
    if (!is_leaf_[leaf]) continue;
    for (const std::uint32_t spine : graph_[leaf]) {
      for (const std::uint32_t other : graph_[spine]) {
        if (!is_leaf_[other] || other == leaf || is_leaf_[spine]) continue;
        if (spines_shared[other]++ == 0) nearby.push_back(other);
      }
    }
    for (const std::uint32_t other : nearby) {
      const std::size_t most = std::max(graph_[leaf].size(), graph_[other].size());
      if (2 * std::size_t{spines_shared[other]} >= most) sets.join(leaf, other);
      spines_shared[other] = 0;
    }
    nearby.clear();
  }
}

/// False if a spine has no leaf.
bool LeafGrouping::take_spines() {
  for (std::uint32_t spine = 0; spine < graph_.size(); ++spine) {
    if (is_leaf_[spine]) continue;
    std::map<std::uint32_t, std::size_t> leaves;
    for (const std::uint32_t leaf : graph_[spine]) {
      if (is_leaf_[leaf]) ++leaves[group_[leaf]];
    }
    if (leaves.empty()) return false;
    group_[spine] = std::ranges::max_element(leaves, {}, [](const auto& entry) { return entry.second; })->first;
  }
  return true;
}

std::optional<GroupNumbers> LeafGrouping::group() {
  DisjointSets sets(graph_.size());
  join_leaves(sets);
  std::map<std::uint32_t, std::uint32_t> numbers;
  group_.assign(graph_.size(), no_id);
  for (std::uint32_t leaf = 0; leaf < graph_.size(); ++leaf) {
    if (!is_leaf_[leaf]) continue;
    if (graph_[leaf].empty()) return std::nullopt;
    group_[leaf] = numbers.try_emplace(sets.root(leaf), static_cast<std::uint32_t>(numbers.size())).first->second;
  }
  if (numbers.size() < 2 || !take_spines()) return std::nullopt;
  return std::move(group_);
}

struct GroupSize {
  std::size_t leaves = 0;
  std::size_t spines = 0;
  std::size_t joined = 0;  // pairs of a leaf and a spine
};

/// The number of pairs that should have a cable and have none, and of pairs that should have none; nothing if there are
/// too many.
std::optional<std::size_t> defects_of(const Adjacency& graph, const LeafAndSpineGroups& found) {
  const std::size_t count = std::size_t{std::ranges::max(found.group)} + 1;
  std::vector<GroupSize> groups(count);
  std::set<std::pair<std::uint32_t, std::uint32_t>> joined;
  std::size_t strays = 0;
  for (std::uint32_t a = 0; a < graph.size(); ++a) {
    ++(found.is_leaf[a] ? groups[found.group[a]].leaves : groups[found.group[a]].spines);
    for (const std::uint32_t b : graph[a]) {
      if (b < a) continue;
      const bool same_group = found.group[a] == found.group[b];
      if (found.is_leaf[a] != found.is_leaf[b] && same_group) {
        ++groups[found.group[a]].joined;
      } else if (!found.is_leaf[a] && !found.is_leaf[b] && !same_group) {
        joined.insert(std::minmax(found.group[a], found.group[b]));
      } else {
        ++strays;
      }
    }
  }
  constexpr std::size_t per_stray = 50;
  const std::size_t pairs = count * (count - 1) / 2;
  if (!are_most(joined.size(), pairs) || strays * per_stray > edge_count(graph)) return std::nullopt;
  std::size_t defects = strays + pairs - joined.size();
  for (const GroupSize& group : groups) {
    if (!are_most(group.joined, group.leaves * group.spines)) return std::nullopt;
    defects += group.leaves * group.spines - group.joined;
  }
  return defects;
}

std::optional<LeafAndSpineGroups> with_leaves(const Adjacency& graph, std::vector<bool> is_leaf, bool must_be_whole) {
  auto group = LeafGrouping(graph, is_leaf).group();
  if (!group) return std::nullopt;
  LeafAndSpineGroups found{std::move(*group), std::move(is_leaf)};
  const auto defects = defects_of(graph, found);
  if (!defects || (must_be_whole && *defects > 0)) return std::nullopt;
  return found;
}

}  // namespace

std::optional<LeafAndSpineGroups> dragonfly_plus_groups(const Adjacency& graph, std::span<const std::uint32_t> hosts) {
  if (graph.size() < 4) return std::nullopt;
  if (std::ranges::any_of(hosts, [](std::uint32_t count) { return count > 0; })) {
    return with_leaves(graph, leaves_by_hosts(graph, hosts), false);
  }
  std::set<std::size_t> degrees;
  for (const auto& around : graph) degrees.insert(around.size());
  for (const std::size_t degree : degrees) {
    std::vector<bool> is_leaf(graph.size());
    for (std::uint32_t router = 0; router < graph.size(); ++router) is_leaf[router] = graph[router].size() == degree;
    if (auto found = with_leaves(graph, std::move(is_leaf), true)) return found;
  }
  return std::nullopt;
}

}  // namespace ayatori
