#pragma once
/// \file
/// Hops of the shortest routes to one router that climb, then descend, by the levels of a tree. Idle routers (see
/// Levels) count as below all others.

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "ayatori/network/levels.hpp"
#include "ayatori/network/router_graph.hpp"
#include "router_order.hpp"

namespace ayatori {

/// More hops than any route has.
inline constexpr std::uint32_t far = std::numeric_limits<std::uint32_t>::max() / 2;

/// For each router some of its neighbours.
class SomeNeighbours {
 public:
  /// Those for which `wanted(router, neighbour)`.
  template <typename Select>
  SomeNeighbours(const RouterGraph& graph, Select&& wanted) {
    for (DeviceId router = 0; router < graph.size(); ++router) {
      for (const auto& neighbour : graph.neighbours(router)) {
        if (wanted(router, neighbour.router)) routers_.push_back(neighbour.router);
      }
      first_.push_back(static_cast<std::uint32_t>(routers_.size()));
    }
  }

  [[nodiscard]] std::span<const DeviceId> of(DeviceId router) const {
    return {routers_.data() + first_[router], routers_.data() + first_[router + 1]};
  }

 private:
  std::vector<std::uint32_t> first_ = {0};
  std::vector<DeviceId> routers_;
};

/// Not safe for concurrent use: give each thread a copy.
class TreeHops {
 public:
  /// `order` says which of two idle routers is above.
  TreeHops(const RouterGraph& graph, const RouterOrder& order, const Levels& levels);

  /// Finds the hops from all routers to this one.
  void aim(DeviceId destination);

  /// `far` where no such route exists.
  [[nodiscard]] const std::vector<std::uint32_t>& hops() const { return hops_; }
  /// True if packets at the router only descend.
  [[nodiscard]] bool is_ancestor(DeviceId router) const { return is_ancestor_[router] != 0; }
  /// Whether one of two neighbours is above the other.
  [[nodiscard]] bool is_above(DeviceId a, DeviceId b) const { return position_[a] < position_[b]; }

 private:
  SomeNeighbours parents_;
  std::vector<DeviceId> by_level_;  // highest first, idle routers last
  std::vector<std::uint32_t> position_;
  std::vector<std::uint32_t> hops_;
  std::vector<std::uint8_t> is_ancestor_;
};

}  // namespace ayatori
