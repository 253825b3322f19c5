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
    std::vector<DeviceId> routers;          ///< of a grid: by point; otherwise by rising id
    std::vector<std::uint32_t> dimensions;  ///< of a grid
    std::vector<bool> periodic;
  };
  std::vector<std::uint32_t> height;  ///< by router
  std::vector<Group> groups;
};

/// Planes that are not of one shape fall into what is cabled together: each part that is a tree, grid or full stays
/// one, and one graph holds the rest.
[[nodiscard]] Hierarchy hierarchy_of(const Network& network);

}  // namespace ayatori
