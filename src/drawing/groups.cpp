#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "ayatori/base/text.hpp"
#include "layout.hpp"

namespace ayatori::drawing {

namespace {

using Neighbours = std::vector<std::vector<DeviceId>>;  // by router, sorted

Neighbours neighbours_of(const Scene& scene) {
  Neighbours found(scene.size());
  for (const CableBundle& bundle : scene.bundles) {
    found[bundle.from].push_back(bundle.to);
    found[bundle.to].push_back(bundle.from);
  }
  for (auto& list : found) {
    std::ranges::sort(list);
    const auto rest = std::ranges::unique(list);
    list.erase(rest.begin(), rest.end());
  }
  return found;
}

bool joined(const Neighbours& neighbours, DeviceId a, DeviceId b) {
  return std::ranges::binary_search(neighbours[a], b);
}

Row routers_by_name(const Scene& scene) {
  Row order(scene.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](auto a, auto b) { return natural_less(scene.names[a], scene.names[b]); });
  return order;
}

std::size_t common_count(const Neighbours& neighbours, DeviceId a, DeviceId b) {
  std::vector<DeviceId> shared;
  std::ranges::set_intersection(neighbours[a], neighbours[b], std::back_inserter(shared));
  return shared.size();
}

/// The routers that are all cabled to each other, from `first` on: in turn the free neighbour that shares most
/// neighbours with `first`, if it is cabled to all so far.
Row clique_of(const Neighbours& neighbours, const std::vector<bool>& taken, DeviceId first) {
  Row candidates;
  for (const DeviceId other : neighbours[first]) {
    if (!taken[other]) candidates.push_back(other);
  }
  std::ranges::stable_sort(candidates, std::greater{},
                           [&](DeviceId other) { return common_count(neighbours, first, other); });
  Row clique = {first};
  for (const DeviceId other : candidates) {
    if (std::ranges::all_of(clique, [&](DeviceId member) { return joined(neighbours, member, other); })) {
      clique.push_back(other);
    }
  }
  return clique;
}

/// The size that most groups have.
std::size_t usual_size(const std::vector<Row>& groups) {
  std::map<std::size_t, std::size_t> frequency;
  for (const Row& group : groups) ++frequency[group.size()];
  return std::ranges::max_element(frequency, {}, [](const auto& entry) { return entry.second; })->first;
}

/// Where cables are missing, a group falls into pieces: each router of a small one goes to the group that it has most
/// cables to, if that is not whole.
void join_pieces(const Neighbours& neighbours, std::vector<Row>& groups) {
  const std::size_t usual = usual_size(groups);
  std::ranges::stable_sort(groups, std::greater{}, &Row::size);
  while (groups.back().size() < usual) {
    const DeviceId router = groups.back().back();
    const auto cables = [&](const Row& group) {
      if (&group == &groups.back() || group.size() >= usual) return std::ptrdiff_t{0};
      return std::ranges::count_if(group, [&](DeviceId member) { return joined(neighbours, router, member); });
    };
    const auto best = std::ranges::max_element(groups, {}, cables);
    if (cables(*best) == 0) return;
    best->push_back(router);
    groups.back().pop_back();
    if (groups.back().empty()) groups.pop_back();
  }
}

/// Whether nearly all pairs within groups of nearly equal size are cabled, and these are a good part of all cables.
bool are_telling(const Neighbours& neighbours, const std::vector<Row>& groups, std::size_t all_pairs) {
  const std::size_t usual = usual_size(groups);
  std::size_t wanted = 0;
  std::size_t found = 0;
  for (const Row& group : groups) {
    if (group.size() > usual || 2 * group.size() < usual) return false;
    wanted += group.size() * (group.size() - 1) / 2;
    for (std::size_t i = 0; i < group.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) found += joined(neighbours, group[i], group[j]) ? 1 : 0;
    }
  }
  return groups.size() > 2 && usual > 2 && 10 * found >= 8 * wanted && 4 * found >= all_pairs;
}

std::vector<Group> clique_groups(const Scene& scene, const Neighbours& neighbours) {
  const auto by_name = [&](auto a, auto b) { return natural_less(scene.names[a], scene.names[b]); };
  std::vector<bool> taken(scene.size());
  std::vector<Row> cliques;
  for (const DeviceId router : routers_by_name(scene)) {
    if (taken[router]) continue;
    cliques.push_back(clique_of(neighbours, taken, router));
    for (const DeviceId member : cliques.back()) taken[member] = true;
  }
  join_pieces(neighbours, cliques);
  if (!are_telling(neighbours, cliques, scene.bundles.size())) return {};
  for (Row& clique : cliques) std::ranges::sort(clique, by_name);
  std::ranges::sort(cliques, [&](const Row& a, const Row& b) { return by_name(a.front(), b.front()); });
  std::vector<Group> groups;
  for (Row& clique : cliques) groups.push_back({std::move(clique), {}});
  return groups;
}

/// Leaves with the same neighbours, which are the group's spines.
std::vector<Group> leaf_and_spine_groups(const Scene& scene, const Neighbours& neighbours) {
  std::map<Row, std::size_t> by_spines;
  std::vector<Group> groups;
  std::vector<int> uses(scene.size());
  for (const DeviceId router : routers_by_name(scene)) {
    if (scene.endpoints[router].empty()) continue;
    const auto [at, is_new] = by_spines.try_emplace(neighbours[router], groups.size());
    if (is_new) {
      groups.push_back({{}, neighbours[router]});
      for (const DeviceId spine : neighbours[router]) ++uses[spine];
    }
    groups[at->second].outer.push_back(router);
  }
  for (DeviceId router = 0; router < scene.size(); ++router) {
    if (uses[router] != (scene.endpoints[router].empty() ? 1 : 0)) return {};
  }
  const auto few_leaves = [](const Group& group) { return group.outer.size() < 2 || group.inner.empty(); };
  return groups.size() > 2 && std::ranges::none_of(groups, few_leaves) ? groups : std::vector<Group>{};
}

/// Hops from a router to all others.
std::vector<std::uint32_t> distances_from(const Neighbours& neighbours, DeviceId start) {
  std::vector<std::uint32_t> distance(neighbours.size(), no_id);
  Row reached = {start};
  distance[start] = 0;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const DeviceId next : neighbours[reached[i]]) {
      if (distance[next] != no_id) continue;
      distance[next] = distance[reached[i]] + 1;
      reached.push_back(next);
    }
  }
  return distance;
}

/// The rows through a router: parts of its neighbours that are cabled among each other, the router first.
std::vector<Row> rows_through(const Scene& scene, const Neighbours& neighbours, DeviceId corner) {
  Partition partition(scene.size());
  for (const DeviceId a : neighbours[corner]) {
    for (const DeviceId b : neighbours[corner]) {
      if (joined(neighbours, a, b)) partition.join(a, b);
    }
  }
  std::map<std::uint32_t, std::size_t> index_of;
  std::vector<Row> rows;
  for (const DeviceId router : routers_by_name(scene)) {
    if (!joined(neighbours, corner, router)) continue;
    const auto [at, is_new] = index_of.try_emplace(partition.root(router), rows.size());
    if (is_new) rows.push_back({corner});
    rows[at->second].push_back(router);
  }
  return rows;
}

/// The point of every router: in each row through the corner, the router that is nearest has its coordinate.
GridPoints points_along(const Neighbours& neighbours, const std::vector<Row>& rows) {
  const std::size_t count = neighbours.size();
  GridPoints grid;
  grid.full_rows = true;
  std::vector<std::size_t> point(count);
  for (const Row& row : rows) {
    std::vector<std::uint32_t> nearest(count, no_id);
    std::vector<std::size_t> coordinate(count);
    for (std::size_t i = 0; i < row.size(); ++i) {
      const auto distance = distances_from(neighbours, row[i]);
      for (DeviceId router = 0; router < count; ++router) {
        if (distance[router] < nearest[router]) nearest[router] = distance[router], coordinate[router] = i;
      }
    }
    for (DeviceId router = 0; router < count; ++router) point[router] = point[router] * row.size() + coordinate[router];
    grid.dimensions.push_back(static_cast<std::uint32_t>(row.size()));
  }
  grid.at.assign(count, no_id);
  for (DeviceId router = 0; router < count; ++router) grid.at[point[router]] = router;
  return grid;
}

}  // namespace

std::vector<Group> groups_of(const Scene& scene) {
  const Neighbours neighbours = neighbours_of(scene);
  auto groups = leaf_and_spine_groups(scene, neighbours);
  return groups.empty() ? clique_groups(scene, neighbours) : groups;
}

GridPoints hyperx_points(const Scene& scene) {
  if (scene.size() < 4) return {};
  const Neighbours neighbours = neighbours_of(scene);
  const auto rows = rows_through(scene, neighbours, routers_by_name(scene).front());
  std::size_t points = 1;
  std::size_t degree = 0;
  for (const Row& row : rows) {
    points *= row.size();
    degree += row.size() - 1;
    if (points > scene.size()) return {};
  }
  const auto equal = [&](const Row& others) { return others.size() == degree; };
  if (rows.size() < 2 || points != scene.size() || !std::ranges::all_of(neighbours, equal)) return {};
  GridPoints grid = points_along(neighbours, rows);
  return std::ranges::count(grid.at, no_id) > 0 ? GridPoints{} : grid;
}

}  // namespace ayatori::drawing
