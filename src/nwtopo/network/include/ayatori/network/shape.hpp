#pragma once
/// \file
/// The shape of a Network, recognised from its cables and from where its hosts are: fat tree, grid, fully connected,
/// HyperX, dragonfly, dragonfly+, or none of these.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ayatori/network/network.hpp"

namespace ayatori {

enum class ShapeKind : std::uint8_t {
  fat_tree,   ///< levels of routers, cables only between neighbouring levels
  grid,       ///< torus or mesh of routers
  full,       ///< every router cabled to every other, or one router alone
  hyperx,     ///< routers at the points of a box; those that differ in one coordinate only are cabled to each other
  dragonfly,  ///< groups with cables between each two; within a group each router is cabled to each other
  dragonfly_plus,  ///< the same, but that a group consists of leaves, each cabled to each of its spines
  graph,           ///< none of these
};

/// A group of a dragonfly or dragonfly+. Routers come in the natural order of their names.
struct RouterGroup {
  std::vector<DeviceId> routers;  ///< of a dragonfly+: its leaves
  std::vector<DeviceId> spines;   ///< of a dragonfly+: cabled to the leaves and to spines of other groups
};

/// What breaks a regular shape: first what an administrator mends, then what is merely odd.
enum class IrregularityKind : std::uint8_t {
  missing_cables,  ///< two routers, or groups of them, have fewer cables than is usual
  separate_parts,  ///< no cables lead from one part with hosts to another
  hosts_without_cables,
  hosts_with_fewer_rails,
  idle_routers,   ///< switches that no host needs (Levels::idle); those from which no cables lead to hosts
  unequal_hosts,  ///< leaves with more or fewer hosts than most
  hosts_above_leaves,
  oversubscribed_routers,  ///< the worst of a level
  unequal_groups,          ///< groups of another size than most, or that are cabled differently
  foreign_cables,          ///< that no place in the shape has; from a router to itself
  more_cables,             ///< two routers, or groups of them, have more cables than is usual
  hosts_with_more_rails,
  no_shape,  ///< why a graph has none of the other shapes
};

/// "missing cables": what `ayatori show` calls it.
[[nodiscard]] std::string_view to_words(IrregularityKind kind);

struct Irregularity {
  IrregularityKind kind = IrregularityKind::no_shape;
  std::string text;  ///< with names: "A10 <-> B03: 1 of 2 cables"
};

struct Shape {
  ShapeKind kind = ShapeKind::graph;

  /// Of a fat tree: per level, from the leaves up, without idle ones (see Levels). Of a dragonfly: {routers of a
  /// group}; of a dragonfly+: {leaves, spines of a group}, as most groups have them. Of a full network: {all}.
  std::vector<std::uint32_t> routers;
  /// The most common number of parallel cables. Of a fat tree: per pair of neighbouring levels. Of a grid or full
  /// network: {between neighbours}. Of a HyperX: per dimension. Of a dragonfly(+): between two routers of a group (per
  /// dimension, if groups have these), and last between two groups.
  std::vector<std::uint32_t> cables;
  /// Per level below the roots: capacity down : capacity up, as most routers of the level have it. The worst router is
  /// named among the irregularities. Empty if the rate of no cable is known.
  std::vector<double> oversubscription;

  // For a grid or HyperX:
  std::vector<std::uint32_t>
      dimensions;              ///< also of a dragonfly whose groups are each cabled as a HyperX (Cray's Aries)
  std::vector<bool> periodic;  ///< of a grid: per dimension
  std::vector<DeviceId> at;    ///< router at each point, the last coordinate running fastest

  // For a dragonfly or dragonfly+:
  std::vector<RouterGroup> groups;  ///< in the natural order of the names of their first routers
  std::uint32_t hosts = 0;          ///< cables to hosts of a router (dragonfly+: of a leaf), as most have them

  /// Pairs of routers that the shape would join and that no cable joins. 0 for a graph.
  std::size_t missing_pairs = 0;

  std::uint32_t machines = 0;
  std::uint32_t rails = 0;  ///< the most common number of endpoints per machine

  /// "fat tree, 2 levels, 31 leaves x 9 spines, 2 cables a pair, oversubscription 1.29:1, 120 hosts with 4 rails"
  std::string summary;
  /// Everything that breaks the regular shape, in the order of the kinds.
  std::vector<Irregularity> irregularities;
};

/// Recognises the shape of the network. The first that fits is taken of: a tree with most of its cables, full, a grid,
/// a HyperX, a dragonfly+, a dragonfly, any other tree, a graph. Neither names nor numbers of devices and ports matter.
///
/// A grid's and a HyperX's dimensions come in the order of the ports at a corner. Two dimensions of length 2 are the
/// same graph as a ring of 4, and are reported as a ring unless another dimension has edges. A HyperX whose lengths are
/// all at most 3 is a torus, a dragonfly of two groups is often a HyperX, and one of groups of one router is full.
///
/// A HyperX, dragonfly or dragonfly+ of which up to a quarter of the cables is missing is recognised, with a line for
/// every pair of routers or groups that lacks cables, and for every cable that does not belong to the shape, if these
/// are few. Groups of two or three routers are recognised only if nothing is missing.
///
/// Takes a few milliseconds for thousands of routers.
[[nodiscard]] Shape recognise(const Network& network);

/// The grid that the network's source declares (DeclaredGrid), with only kind, dimensions, periodic and at filled in.
/// Nothing if it declares none, or if the cables between the routers are not exactly those of the grid.
[[nodiscard]] std::optional<Shape> declared_shape(const Network& network);

/// The machines of a direct network as points of a grid.
struct MachineGrid {
  std::vector<std::uint32_t> dimensions;
  std::vector<bool> periodic;
  std::vector<std::uint32_t> point;  ///< by machine: row-major, last coordinate fastest; no_id if it has no cable
};

/// Nothing if the network is not direct, or its routers do not form a grid with all of its cables.
[[nodiscard]] std::optional<MachineGrid> machine_grid(const Network& network);

}  // namespace ayatori
