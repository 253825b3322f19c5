#pragma once
/// \file
/// The total order of the routers in which all routes climb, then descend
/// (docs/decisions/0003-one-order-for-all-routes.md).
///
/// The order grows from one router, which is the highest; what is added next is below all that came before, and must be
/// cabled to one of them. Therefore
///
///   - every router but the first has a neighbour above it, and so a way up to the first and, reversed, down from it:
///     each router reaches every other by climbing, then descending;
///   - a packet that never climbs after it descended cannot be part of a cycle of waiting packets, because each such
///     cycle must turn from down to up at its lowest router.
///
/// In a tree of levels, the router added next is the highest *by level* that is cabled to one in the order. Then a root
/// is added right after its first child, and all its other children come below it: of two of its children at most one
/// is above it, so that going from child to root to child never turns from down to up. The same holds for the middle
/// routers, except under a leaf that joins two routers which have a root in common (see lost_turns). Idle routers (see
/// Levels) come last, so that the others stand as without them.

#include <cstdint>
#include <span>
#include <vector>

#include "ayatori/network/levels.hpp"
#include "ayatori/network/router_graph.hpp"

namespace ayatori {

/// A router in the middle of a connected graph, from which no other is much farther than need be.
[[nodiscard]] DeviceId middle_of(const RouterGraph& graph);

class RouterOrder {
 public:
  /// For a tree of levels: tries starts until one loses no turn, and takes the best. The graph must be connected.
  static RouterOrder for_tree(const RouterGraph& graph, const Levels& levels);

  /// For any connected graph: breadth first from `top` (Schroeder et al., Autonet, 1991).
  static RouterOrder breadth_first(const RouterGraph& graph, DeviceId top);

  [[nodiscard]] std::span<const DeviceId> from_the_top() const { return order_; }
  [[nodiscard]] bool is_above(DeviceId a, DeviceId b) const { return position_[a] < position_[b]; }

  /// Turns that climb or peak by level, but would climb after descending in this order: (child, router, child) and
  /// (child, router, parent) with both neighbours above the router. Routes cannot take them.
  [[nodiscard]] std::uint64_t lost_turns() const { return lost_turns_; }
  /// Routers at which turns are lost, by id.
  [[nodiscard]] std::span<const DeviceId> losers() const { return losers_; }

 private:
  RouterOrder(const RouterGraph& graph, DeviceId start, const Levels& levels);
  void count_lost_turns(const RouterGraph& graph, const Levels& levels);

  std::vector<DeviceId> order_;
  std::vector<std::uint32_t> position_;
  std::uint64_t lost_turns_ = 0;
  std::vector<DeviceId> losers_;
};

}  // namespace ayatori
