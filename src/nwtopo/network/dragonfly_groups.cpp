#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>

#include "router_groups.hpp"
#include "shape_parts.hpp"

namespace ayatori {

namespace {

// --- does a partition fit? ------------------------------------------------------------------------------------------

/// Whether groups are two or more, and none is larger than the usual one, or smaller than half of it.
bool have_like_sizes(const std::vector<std::vector<DeviceId>>& groups) {
  std::vector<std::size_t> sizes;
  for (const auto& members : groups) sizes.push_back(members.size());
  const auto usual = most_common<std::size_t>(sizes);
  return sizes.size() >= 2 && usual >= 2 &&
         std::ranges::all_of(sizes, [&](std::size_t size) { return size <= usual && 2 * size >= usual; });
}

/// The cables between groups.
struct CablesBetween {
  std::size_t pairs = 0;         ///< of groups
  std::size_t joined = 0;        ///< of them
  std::size_t joined_alike = 0;  ///< by as many cables as most
  std::size_t router_pairs = 0;  ///< that have cables, in different groups
};

CablesBetween count_between(const RouterGraph& graph, const GroupNumbers& group, std::size_t groups) {
  CablesBetween found;
  found.pairs = groups * (groups - 1) / 2;
  std::unordered_map<std::uint64_t, std::size_t> cables;
  for (DeviceId a = 0; a < graph.size(); ++a) {
    for (const auto& neighbour : graph.neighbours(a)) {
      if (group[a] >= group[neighbour.router]) continue;
      ++found.router_pairs;
      cables[std::uint64_t{group[a]} * groups + group[neighbour.router]] += neighbour.cables;
    }
  }
  std::vector<std::size_t> counts;
  for (const auto& [pair, count] : cables) counts.push_back(count);
  found.joined = counts.size();
  found.joined_alike = static_cast<std::size_t>(std::ranges::count(counts, most_common<std::size_t>(counts)));
  return found;
}

/// Most pairs of groups are joined, and at most half of the routers' pairs between them; between two groups, at most as
/// many as a router of one to a router of the other.
bool are_joined_sparsely(const CablesBetween& between, std::size_t routers, std::size_t groups) {
  const double size = static_cast<double>(routers) / static_cast<double>(groups);
  if (groups == 2) return between.joined == 1 && static_cast<double>(between.router_pairs) <= size;
  return are_most(between.joined, between.pairs) &&
         2 * static_cast<double>(between.router_pairs) <= static_cast<double>(between.pairs) * size * size;
}

/// Random graphs of few routers have such groups, too, but not with as many cables between any two.
bool could_be_chance(const CablesBetween& between, std::size_t defects, std::size_t size, std::size_t groups) {
  if (defects == 0 && between.joined_alike == between.pairs) return false;
  constexpr std::size_t large = 6;
  return groups < 3 || size < 4 || (size < large && !are_most(between.joined_alike, between.joined));
}

std::vector<std::uint32_t> numbers_up_to(std::size_t count) {
  std::vector<std::uint32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

/// The rows of every group; empty if these are not alike.
std::vector<FullRows> rows_of_groups(const Adjacency& graph, const std::vector<std::vector<DeviceId>>& groups) {
  std::vector<FullRows> rows;
  for (const auto& members : groups) {
    auto found = find_full_rows(adjacency_between(graph, members), numbers_up_to(members.size()));
    if (!found) return {};
    std::vector<std::size_t> by_length(found->dimensions.size());
    std::iota(by_length.begin(), by_length.end(), 0);
    std::ranges::stable_sort(by_length, std::greater{}, [&](std::size_t k) { return found->dimensions[k]; });
    rows.push_back(with_dimensions_in_order(*found, by_length));
    if (rows.back().dimensions != rows.front().dimensions) return {};
  }
  return rows;
}

}  // namespace

std::vector<std::vector<DeviceId>> members_of(const GroupNumbers& group) {
  std::vector<std::vector<DeviceId>> members(group.empty() ? 0 : std::ranges::max(group) + std::size_t{1});
  for (DeviceId router = 0; router < group.size(); ++router) members[group[router]].push_back(router);
  return members;
}

std::optional<DragonflyFit> fit_dragonfly(const RouterGraph& cables, const Adjacency& graph,
                                          const GroupNumbers& group) {
  const auto groups = members_of(group);
  if (!have_like_sizes(groups)) return std::nullopt;
  const CablesBetween between = count_between(cables, group, groups.size());
  if (!are_joined_sparsely(between, graph.size(), groups.size())) return std::nullopt;
  DragonflyFit fit{between.pairs - between.joined, {}};
  std::size_t wanted = 0;
  std::size_t inside = 0;
  bool all_to_all = true;
  for (const auto& members : groups) {
    const std::size_t pairs = members.size() * (members.size() - 1) / 2;
    const std::size_t joined = edge_count(adjacency_between(graph, members));
    all_to_all &= 2 * joined >= pairs;
    wanted += pairs;
    inside += joined;
  }
  if (all_to_all && are_most(inside, wanted)) {
    fit.defects += wanted - inside;
    const bool is_sparse_inside = fit.defects > 0 && 4 * inside < edge_count(graph);
    if (is_sparse_inside || could_be_chance(between, fit.defects, groups.front().size(), groups.size())) {
      return std::nullopt;
    }
    return fit;
  }
  fit.rows = rows_of_groups(graph, groups);
  if (fit.rows.empty()) return std::nullopt;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Adjacency part = adjacency_between(graph, groups[i]);
    for_pairs_of_rows(fit.rows[i], [&](auto a, auto b, std::size_t) { fit.defects += are_joined(part, a, b) ? 0 : 1; });
  }
  return fit;
}

namespace {

// --- routers whose cables share many neighbours
// -----------------------------------------------------------------------

/// By router and neighbour: how many other neighbours both have.
std::vector<std::vector<std::uint32_t>> shared_neighbours(const Adjacency& graph) {
  std::vector<std::vector<std::uint32_t>> shared(graph.size());
  std::vector<std::uint32_t> neighbour_of(graph.size(), no_id);
  for (std::uint32_t router = 0; router < graph.size(); ++router) {
    for (const std::uint32_t other : graph[router]) neighbour_of[other] = router;
    for (const std::uint32_t other : graph[router]) {
      shared[router].push_back(static_cast<std::uint32_t>(
          std::ranges::count_if(graph[other], [&](std::uint32_t far) { return neighbour_of[far] == router; })));
    }
  }
  return shared;
}

GroupNumbers numbered(DisjointSets& sets, std::size_t count) {
  std::map<std::uint32_t, std::uint32_t> numbers;
  GroupNumbers group(count);
  for (std::uint32_t router = 0; router < count; ++router) {
    group[router] = numbers.try_emplace(sets.root(router), static_cast<std::uint32_t>(numbers.size())).first->second;
  }
  return group;
}

/// Keeps the partition with the fewest defects.
class Best {
 public:
  Best(const RouterGraph& graph, const Adjacency& adjacency) : graph_(graph), adjacency_(adjacency) {}

  void offer(GroupNumbers group) {
    const auto fit = fit_dragonfly(graph_, adjacency_, group);
    if (!fit || (group_ && fit->defects >= defects_)) return;
    defects_ = fit->defects;
    group_ = std::move(group);
  }
  [[nodiscard]] bool is_whole() const { return group_ && defects_ == 0; }
  [[nodiscard]] std::optional<GroupNumbers> take() { return std::move(group_); }

 private:
  const RouterGraph& graph_;
  const Adjacency& adjacency_;
  std::optional<GroupNumbers> group_;
  std::size_t defects_ = 0;
};

/// The ends of a cable within a group share most of their neighbours, those of a cable between groups few or none: for
/// every threshold, the parts that cables with at least so many shared neighbours connect.
void offer_by_shared_neighbours(const Adjacency& graph, Best& best) {
  const auto shared = shared_neighbours(graph);
  std::uint32_t most = 0;
  for (const auto& counts : shared) {
    for (const std::uint32_t count : counts) most = std::max(most, count);
  }
  for (std::uint32_t least = 1; least <= most && !best.is_whole(); ++least) {
    DisjointSets sets(graph.size());
    for (std::uint32_t router = 0; router < graph.size(); ++router) {
      for (std::size_t i = 0; i < graph[router].size(); ++i) {
        if (shared[router][i] >= least) sets.join(router, graph[router][i]);
      }
    }
    best.offer(numbered(sets, graph.size()));
  }
}

// --- growing cliques ------------------------------------------------------------------------------------------------

/// The routers that are all joined to each other, from `first` on: repeatedly the free neighbour that shares most
/// neighbours with `first`, if it is joined to all so far.
std::vector<std::uint32_t> clique_of(const Adjacency& graph, const std::vector<bool>& taken, std::uint32_t first) {
  std::vector<std::pair<std::size_t, std::uint32_t>> candidates;
  std::vector<std::uint32_t> shared;
  for (const std::uint32_t other : graph[first]) {
    if (taken[other]) continue;
    shared.clear();
    std::ranges::set_intersection(graph[first], graph[other], std::back_inserter(shared));
    candidates.emplace_back(shared.size(), other);
  }
  std::ranges::stable_sort(candidates, std::greater{}, &std::pair<std::size_t, std::uint32_t>::first);
  std::vector<std::uint32_t> clique = {first};
  for (const auto& [count, other] : candidates) {
    if (std::ranges::all_of(clique, [&](std::uint32_t member) { return are_joined(graph, member, other); })) {
      clique.push_back(other);
    }
  }
  return clique;
}

/// Where cables are missing, a group falls into pieces: each router of a small one goes to the group that it has most
/// cables to, if that is not whole.
void join_pieces(const Adjacency& graph, std::size_t whole, std::vector<std::vector<std::uint32_t>>& groups) {
  std::ranges::stable_sort(groups, std::greater{}, &std::vector<std::uint32_t>::size);
  while (groups.back().size() < whole) {
    const std::uint32_t router = groups.back().back();
    const auto cables = [&](const std::vector<std::uint32_t>& group) {
      if (&group == &groups.back() || group.size() >= whole) return std::ptrdiff_t{0};
      return std::ranges::count_if(group, [&](std::uint32_t member) { return are_joined(graph, router, member); });
    };
    const auto best = std::ranges::max_element(groups, {}, cables);
    if (cables(*best) == 0) return;
    best->push_back(router);
    groups.back().pop_back();
    if (groups.back().empty()) groups.pop_back();
  }
}

/// The largest cliques first: those around missing cables are smaller, and would take routers of other groups.
std::vector<std::vector<std::uint32_t>> cliques_of(const Adjacency& graph) {
  std::vector<bool> taken(graph.size());
  std::set<std::pair<std::size_t, std::uint32_t>> waiting;  // by how many routers a clique lacks of all, then router
  for (std::uint32_t router = 0; router < graph.size(); ++router) {
    waiting.emplace(graph.size() - clique_of(graph, taken, router).size(), router);
  }
  std::vector<std::vector<std::uint32_t>> cliques;
  while (!waiting.empty()) {
    const auto [lacking, router] = *waiting.begin();
    waiting.erase(waiting.begin());
    if (taken[router]) continue;
    auto clique = clique_of(graph, taken, router);
    if (graph.size() - clique.size() > lacking) {
      waiting.emplace(graph.size() - clique.size(), router);  // since others have been taken
      continue;
    }
    for (const std::uint32_t member : clique) taken[member] = true;
    cliques.push_back(std::move(clique));
  }
  return cliques;
}

void offer_by_cliques(const Adjacency& graph, Best& best) {
  const auto cliques = cliques_of(graph);
  std::set<std::size_t> sizes;
  for (const auto& clique : cliques) sizes.insert(clique.size());
  for (const std::size_t whole : sizes) {
    auto groups = cliques;
    join_pieces(graph, whole, groups);
    GroupNumbers group(graph.size());
    for (std::uint32_t number = 0; number < groups.size(); ++number) {
      for (const std::uint32_t member : groups[number]) group[member] = number;
    }
    best.offer(std::move(group));
  }
}

// --- search ---------------------------------------------------------------------------------------------------------

/// Parts the routers into groups of one size, each fully joined, with the same number of cables between any two.
class RegularGroups {
 public:
  RegularGroups(const RouterGraph& graph, const Adjacency& adjacency, std::size_t size)
      : graph_(graph), adjacency_(adjacency), size_(size), group_(adjacency.size(), no_id) {}

  [[nodiscard]] std::optional<GroupNumbers> find() {
    const std::size_t groups = adjacency_.size() / size_;
    std::size_t cables = 0;
    for (DeviceId router = 0; router < graph_.size(); ++router) cables += graph_.cables(router).size();
    const std::size_t inside = groups * size_ * (size_ - 1) / 2;
    const std::size_t pairs = groups * (groups - 1) / 2;
    if (cables / 2 < inside + pairs || (cables / 2 - inside) % pairs != 0) return std::nullopt;
    between_ = (cables / 2 - inside) / pairs;
    if (!add_group() || !could_have_no_more_cables(groups)) return std::nullopt;
    return group_;
  }

 private:
  static constexpr std::size_t max_steps = 100'000;

  bool add_group() {
    const auto free = std::ranges::find(group_, no_id);
    if (free == group_.end()) return true;
    std::vector<std::uint32_t> members = {static_cast<std::uint32_t>(free - group_.begin())};
    return extend(members);
  }

  /// Adds neighbours of the first member by rising number, those that are joined to all so far.
  bool extend(std::vector<std::uint32_t>& members) {
    if (++steps_ > max_steps) return false;
    if (members.size() == size_) return close(members);
    for (const std::uint32_t next : adjacency_[members.front()]) {
      if (next < members.back() || group_[next] != no_id) continue;
      const auto fits = [&](std::uint32_t member) { return graph_.cable_count(member, next) == 1; };
      if (!std::ranges::all_of(members, fits)) continue;
      members.push_back(next);
      if (extend(members)) return true;
      members.pop_back();
    }
    return false;
  }

  bool close(const std::vector<std::uint32_t>& members) {
    std::vector<std::size_t> cables_to(count_);
    for (const std::uint32_t member : members) {
      for (const auto& neighbour : graph_.neighbours(member)) {
        if (group_[neighbour.router] != no_id) cables_to[group_[neighbour.router]] += neighbour.cables;
      }
    }
    if (!std::ranges::all_of(cables_to, [&](std::size_t cables) { return cables == between_; })) return false;
    for (const std::uint32_t member : members) group_[member] = count_;
    ++count_;
    if (add_group()) return true;
    --count_;
    for (const std::uint32_t member : members) group_[member] = no_id;
    return false;
  }

  /// Routers have equally many ports for other groups, and all are in use that can be.
  [[nodiscard]] bool could_have_no_more_cables(std::size_t groups) const {
    std::size_t most = 0;
    for (DeviceId router = 0; router < graph_.size(); ++router) {
      most = std::max(most, graph_.cables(router).size() - (size_ - 1));
    }
    return size_ * most < (between_ + 1) * (groups - 1);
  }

  const RouterGraph& graph_;
  const Adjacency& adjacency_;
  const std::size_t size_;
  std::size_t between_ = 0;
  std::size_t steps_ = 0;
  std::uint32_t count_ = 0;
  GroupNumbers group_;
};

void offer_by_search(const RouterGraph& graph, const Adjacency& adjacency, Best& best) {
  constexpr std::size_t max_routers = 128;
  if (graph.size() > max_routers) return;
  for (std::size_t size = graph.size() / 2; size >= 2 && !best.is_whole(); --size) {
    if (graph.size() % size != 0) continue;
    if (auto found = RegularGroups(graph, adjacency, size).find()) best.offer(std::move(*found));
  }
}

}  // namespace

std::optional<GroupNumbers> dragonfly_groups(const RouterGraph& graph, const Adjacency& adjacency) {
  if (graph.size() < 4) return std::nullopt;
  Best best(graph, adjacency);
  offer_by_shared_neighbours(adjacency, best);
  if (!best.is_whole()) offer_by_cliques(adjacency, best);
  if (!best.is_whole()) offer_by_search(graph, adjacency, best);
  return best.take();
}

}  // namespace ayatori
