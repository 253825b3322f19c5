#pragma once
/// \file
/// Routes to one router that climb in a RouterOrder, then descend, by next hops that do not depend on where a packet
/// comes from.
///
/// A packet that descends must not climb again, so a router that packets reach from above has to send them downwards.
/// All others may take the shortest path, up or down. With above(r) and below(r) the neighbours of r in the order:
///
///     down(r) = 1 + min down(b), b in below(r)                    down(destination) = 0
///     hops(r) = down(r)                                           if a router above r descends to r
///               min(1 + min hops(a), a in above(r), down(r))      otherwise
///
/// computed from the top, so that it is known for each router whether packets descend to it. In a tree of levels there
/// is also tree(r), the hops of the shortest route that climbs, then descends by level. Packets do not descend to a
/// router that would have to leave its tree route for it (down(r) > tree(r)), unless the top has no other way down.
/// Hence hops(r) = tree(r) wherever that is finite and the order loses no turn. Idle routers (see Levels) count as
/// below all others.

#include <cstdint>
#include <optional>
#include <vector>

#include "ayatori/network/router_graph.hpp"
#include "router_order.hpp"
#include "tree_hops.hpp"

namespace ayatori {

/// Not safe for concurrent use: give each thread a copy.
class UpDown {
 public:
  /// `levels` is nullptr if the network is not a tree.
  UpDown(const RouterGraph& graph, const RouterOrder& order, const Levels* levels);

  /// Finds the routes from all routers to this one.
  void aim(DeviceId destination);

  [[nodiscard]] std::uint32_t hops(DeviceId router) const { return hops_[router]; }

  /// True if a packet at `from` may go to its neighbour `to`: so for at least one neighbour of each router but the
  /// destination.
  [[nodiscard]] bool is_next(DeviceId from, DeviceId to) const {
    if (hops_[to] + 1 != hops_[from]) return false;
    return position_[to] < position_[from] ? !descended_to_[from] : descended_to_[to];
  }

 private:
  void find_ways_down(DeviceId destination);
  void find_hops(DeviceId destination);
  void descend_from(DeviceId router);

  SomeNeighbours above_;
  SomeNeighbours below_;
  std::optional<TreeHops> tree_hops_;
  std::vector<DeviceId> order_;  // from the top
  std::vector<std::uint32_t> position_;
  std::vector<std::uint32_t> tree_;
  std::vector<std::uint32_t> down_;
  std::vector<std::uint32_t> hops_;
  std::vector<std::uint8_t> descended_to_;
};

}  // namespace ayatori
