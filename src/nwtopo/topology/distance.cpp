#include <algorithm>

#include "ayatori/topology/queries.hpp"
#include "search.hpp"

namespace ayatori {

namespace {

bool both_in_grid(const Topology& topology, ObjectId a, ObjectId b) {
  return topology.kind(a) == ObjectKind::machine && topology.kind(b) == ObjectKind::machine;
}

std::uint32_t hops_in_grid(const Topology& topology, const GridShape& shape, ObjectId from, ObjectId to) {
  const auto here = coordinates_of(topology, from);
  const auto there = coordinates_of(topology, to);
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < here.size(); ++i) {
    sum += grid_distance(here[i], there[i], shape.dimensions[i], shape.periodic[i]);
  }
  return sum;
}

/// Searches from both ends until they meet: far fewer objects than one search over twice the distance.
std::uint32_t hops_by_search(const Topology& topology, ObjectId from, ObjectId to) {
  Search near(topology, from);
  Search far(topology, to);
  for (std::uint32_t distance = 1;; ++distance) {
    Search& side = distance % 2 == 1 ? near : far;
    const Search& other = distance % 2 == 1 ? far : near;
    const auto newest = side.spread();
    if (newest.empty()) return unreachable;
    const auto meets = [&](ObjectId id) {
      const bool end = id == from || id == to;
      return other.distance(id) != unreachable && (end || forwards(topology, id));
    };
    if (std::ranges::any_of(newest, meets)) return distance;
  }
}

}  // namespace

std::uint32_t hops(const Topology& part, ObjectId from, ObjectId to) {
  if (from == to) return 0;
  const Topology& topology = transit_of(part);
  const GridShape* shape = regular_grid(topology);
  if (shape != nullptr && both_in_grid(topology, from, to)) return hops_in_grid(topology, *shape, from, to);
  return hops_by_search(topology, from, to);
}

std::vector<ObjectId> nearest_machines(const Topology& topology, ObjectId from, std::size_t count) {
  std::vector<ObjectId> found;
  Search search(transit_of(topology), from);
  while (found.size() < count) {
    const auto newest = search.spread();
    if (newest.empty()) break;
    const std::size_t nearer = found.size();
    std::ranges::copy_if(newest, std::back_inserter(found),
                         [&](ObjectId id) { return topology.machine_index(id) != no_object; });
    std::sort(found.begin() + static_cast<std::ptrdiff_t>(nearer), found.end());
  }
  if (found.size() > count) found.resize(count);
  return found;
}

}  // namespace ayatori
