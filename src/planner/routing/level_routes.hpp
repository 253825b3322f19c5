#pragma once
/// \file
/// Routes to one router that climb by the levels of a tree, then descend: all of the shortest ones.
///
/// They never deadlock. But roots do not reach each other so, nor leaves without a common root. Such routers send to
/// the nearest router that has a route. Their packets may climb after they descended, and close a cycle of waiting
/// packets: check the tables. Packets of hosts are hardly ever among them.

#include <cstdint>
#include <vector>

#include "tree_hops.hpp"

namespace ayatori {

/// Not safe for concurrent use: give each thread a copy.
class LevelRoutes {
 public:
  /// The graph must be connected, and outlive this. `order` is that of idle routers (TreeHops).
  LevelRoutes(const RouterGraph& graph, const RouterOrder& order, const Levels& levels);

  /// Finds the routes from all routers to this one.
  void aim(DeviceId destination);

  /// True if a packet at `from` may go to its neighbour `to`: so for at least one neighbour of each router but the
  /// destination.
  [[nodiscard]] bool is_next(DeviceId from, DeviceId to) const {
    if (hops_[to] + 1 != hops_[from]) return false;
    if (tree_.hops()[from] == far) return true;
    if (tree_.hops()[to] == far) return false;
    return tree_.is_above(to, from) ? !tree_.is_ancestor(from) : tree_.is_ancestor(to);
  }

 private:
  const RouterGraph& graph_;
  TreeHops tree_;
  std::vector<std::uint32_t> hops_;
};

}  // namespace ayatori
