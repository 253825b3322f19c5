#pragma once
/// \file
/// Which objects of a Network stand above which: heights of routers, and the virtual objects above those that form no
/// tree.

#include <vector>

#include "ayatori/network/network.hpp"
#include "ayatori/network/shape.hpp"
#include "ayatori/topology/topology.hpp"

namespace ayatori {

struct Hierarchy {
  struct Group {
    ObjectKind kind = ObjectKind::graph;
    std::vector<DeviceId> routers;          ///< of a grid: by point; otherwise in any order
    std::vector<std::size_t> groups;        ///< instead of routers: groups that stand before it in the list
    std::vector<std::uint32_t> dimensions;  ///< of a grid
    std::vector<bool> periodic;
  };
  std::vector<std::uint32_t> height;  ///< by router
  std::vector<Group> groups;
};

/// Planes that are not of one shape fall into what is cabled together: each part that has a shape stays one, and one
/// graph holds the rest. A group of a dragonfly is full, or a graph if cables are missing, and one full object stands
/// above all of them; a group of a dragonfly+ is a graph of its leaves and, one higher, its spines. Each row of a
/// HyperX is full, or a graph, and one graph stands above all rows.
[[nodiscard]] Hierarchy hierarchy_of(const Network& network);

}  // namespace ayatori
