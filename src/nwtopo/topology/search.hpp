#pragma once
/// \file
/// Breadth-first search over the links that are up. It does not go through machines, unless their routers are built in.

#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include "ayatori/topology/queries.hpp"
#include "ayatori/topology/topology.hpp"

namespace ayatori {

/// Whether packets may travel through the object.
[[nodiscard]] bool forwards(const Topology& topology, ObjectId id);

/// Calls visit(link) for each link of the object that is up.
template <typename Visit>
void for_each_link_up(const Topology& topology, ObjectId id, Visit visit) {
  const std::uint32_t count = topology.link_count(id);
  for (std::uint32_t i = 0; i < count; ++i) {
    const TopologyLink link = topology.link(id, i);
    if (link.state == LinkState::up) visit(link);
  }
}

/// Spreads from a start in rounds: after n rounds it has seen everything up to n links away. Links go in both
/// directions, so that distances from the start are distances to it.
class Search {
 public:
  Search(const Topology& topology, ObjectId start);

  /// Goes one link further; gives what was new, nothing when all is seen.
  std::span<const ObjectId> spread();

  /// Links from the start; `unreachable` if not seen so far.
  [[nodiscard]] std::uint32_t distance(ObjectId id) const { return seen_[id] - 1; }

 private:
  struct Free {
    void operator()(std::uint32_t* memory) const { std::free(memory); }
  };

  const Topology& topology_;
  ObjectId start_;
  std::uint32_t round_ = 0;
  /// By id: the distance plus 1, 0 where nothing was seen. From calloc: what the search never comes to takes no memory.
  std::unique_ptr<std::uint32_t[], Free> seen_;
  std::vector<ObjectId> newest_;
  std::vector<ObjectId> next_;
};

/// The shape that answers for all machines by itself, nullptr if there is none.
[[nodiscard]] const GridShape* regular_grid(const Topology& topology);

/// Distance along one dimension of a grid.
[[nodiscard]] std::uint32_t grid_distance(std::uint32_t from, std::uint32_t to, std::uint32_t length, bool periodic);

/// Coordinates of a machine in a regular grid.
[[nodiscard]] std::vector<std::uint32_t> coordinates_of(const Topology& topology, ObjectId machine);

}  // namespace ayatori
