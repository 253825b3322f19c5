#include "search.hpp"

#include <algorithm>
#include <new>

#include "ayatori/topology/queries.hpp"

namespace ayatori {

bool forwards(const Topology& topology, ObjectId id) {
  return topology.kind(id) == ObjectKind::router || topology.direct();
}

Search::Search(const Topology& topology, ObjectId start)
    : topology_(topology),
      start_(start),
      seen_(static_cast<std::uint32_t*>(std::calloc(topology.id_end(), sizeof(std::uint32_t)))),
      newest_{start} {
  if (!seen_) throw std::bad_alloc();
  seen_[start] = 1;
}

std::span<const ObjectId> Search::spread() {
  ++round_;
  next_.clear();
  for (const ObjectId id : newest_) {
    if (id != start_ && !forwards(topology_, id)) continue;
    for_each_link_up(topology_, id, [&](const TopologyLink& link) {
      if (seen_[link.to] != 0) return;
      seen_[link.to] = round_ + 1;
      next_.push_back(link.to);
    });
  }
  std::swap(newest_, next_);
  return newest_;
}

const GridShape* regular_grid(const Topology& topology) {
  const std::uint32_t top = topology.max_height();
  if (top == 0 || topology.count_at(top) != 1) return nullptr;
  const GridShape* shape = topology.grid(topology.object_at(top, 0));
  return shape != nullptr && shape->regular ? shape : nullptr;
}

std::uint32_t grid_distance(std::uint32_t from, std::uint32_t to, std::uint32_t length, bool periodic) {
  const std::uint32_t straight = from < to ? to - from : from - to;
  return periodic ? std::min(straight, length - straight) : straight;
}

std::vector<std::uint32_t> coordinates_of(const Topology& topology, ObjectId machine) {
  const ObjectId grid = topology.parent(machine, 0);
  return coordinates_of_point(*topology.grid(grid), topology.grid_point(grid, machine));
}

}  // namespace ayatori
