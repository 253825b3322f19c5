#pragma once
/// \file
/// The paths of a tree of levels, numbered so that a number means the same path at all routers.
///
/// A path is a root together with one choice per level among the ports that lead to this root (parallel cables, or
/// several routers between). Seen from a router below the root it is a *trail* of cables that climbs to it; a packet
/// climbs the trail of the router where it enters, and descends the trail of its destination in reverse. With k cables
/// between a leaf and a root, path (root, c) uses cable c of either leaf: different paths share no cable of a leaf.
///
/// Order: the trails of a router are those of its upper neighbours, merged round robin over its ports, first
/// cables first. Neighbouring paths thus leave a leaf by different ports, and to different roots while there
/// are some. In a regular tree of k_0, k_1, … ports up, path p takes port p mod k_0 of a leaf, then port
/// (p / k_0) mod k_1, and so on, as OpenSM's ftree does with the number of the destination (Zahavi et al., 2007). The
/// paths of the leaf that has the most come first; further paths of other leaves follow.
///
/// No path leads through idle routers (see Levels), so that paths are numbered as without these.

#include <cstdint>
#include <span>
#include <vector>

#include "ayatori/network/levels.hpp"
#include "ayatori/network/router_graph.hpp"

namespace ayatori {

using PathNumber = std::uint32_t;

class TreePaths {
 public:
  TreePaths(const RouterGraph& graph, const Levels& levels);

  /// Paths of all routers together.
  [[nodiscard]] std::uint32_t count() const { return count_; }

  /// Paths that end at this router, in order. Never empty. A router above the leaves has each of its trails once for
  /// each choice below it, so that several cables of a leaf to a root are all used for hosts on the root.
  [[nodiscard]] std::vector<PathNumber> of(DeviceId router) const;

  /// Where the router's own trail of this path begins; nullptr if it has none, or is the root.
  [[nodiscard]] const RouterGraph::Cable* up(DeviceId router, PathNumber path) const {
    const std::uint8_t cable = up_[std::size_t{router} * count_ + path];
    return cable == none ? nullptr : &graph_.cables(router)[cable];
  }

  [[nodiscard]] std::uint8_t level(DeviceId router) const { return levels_.level[router]; }
  [[nodiscard]] std::uint8_t level_count() const { return levels_.count; }

  /// Which port, modulo their number, a router on this level takes for a path if the router has no trail of it.
  [[nodiscard]] std::size_t digit_up(std::uint8_t level, PathNumber path) const { return path / ports_below_[level]; }
  [[nodiscard]] std::size_t digit_down(std::uint8_t level, PathNumber path) const {
    return choices_of_[path] / choices_[level];
  }

 private:
  static constexpr std::uint8_t none = 255;

  /// A trail as a router on it sees it.
  struct Trail {
    std::uint32_t root = 0;     ///< index into roots_
    std::uint32_t choices = 0;  ///< made on this level and above, as one number
    std::uint8_t cable = none;  ///< of this router
  };

  /// All trails of a router, in order.
  struct Trails {
    std::vector<Trail> list;
    std::vector<std::uint32_t> roots;  ///< those that they lead to, each once
  };

  void find_roots(std::span<const DeviceId> from_the_top);
  void find_trails(std::span<const DeviceId> on_level, std::uint8_t level);
  [[nodiscard]] std::vector<std::uint8_t> cables_up(DeviceId router) const;
  [[nodiscard]] std::uint32_t root_index(DeviceId router) const;
  [[nodiscard]] Trails trails_of(DeviceId router, std::uint32_t choices_above) const;
  void number_paths();
  void note_trails_of(DeviceId router);

  const RouterGraph& graph_;
  const Levels& levels_;
  std::vector<DeviceId> roots_;             // routers without a parent
  std::vector<Trails> trails_;              // by router; only while building
  std::vector<std::uint32_t> choices_;      // by level: combinations of choices made on it and above
  std::vector<std::uint32_t> ports_below_;  // by level: product of the ports up on the levels below it
  std::vector<PathNumber> path_of_;         // by root and choices
  std::vector<std::uint32_t> root_of_;      // by path: index into roots_
  std::vector<std::uint32_t> choices_of_;   // by path: from the leaf up
  std::uint32_t count_ = 0;
  std::vector<std::uint8_t> up_;  // by router and path: index into the router's cables
};

}  // namespace ayatori
