#pragma once
/// \file
/// The shape of a Network, recognised from its cables alone: fat tree, grid, fully connected, or none of these.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ayatori/network/network.hpp"

namespace ayatori {

enum class ShapeKind : std::uint8_t {
  fat_tree,  ///< levels of routers, cables only between neighbouring levels
  grid,      ///< torus or mesh of routers
  full,      ///< every router cabled to every other, or one router alone
  graph,     ///< none of these
};

struct Shape {
  ShapeKind kind = ShapeKind::graph;

  // For a fat tree, from the leaves up:
  std::vector<std::uint32_t> routers;  ///< routers per level
  std::vector<std::uint32_t> cables;   ///< per pair of neighbouring levels: the most common number of parallel cables
  /// Per level below the roots: capacity down : capacity up, as most routers of the level have it. The worst router is
  /// named among the irregularities. Empty if the rate of no cable is known.
  std::vector<double> oversubscription;

  // For a grid:
  std::vector<std::uint32_t> dimensions;
  std::vector<bool> periodic;  ///< per dimension
  std::vector<DeviceId> at;    ///< router at each point, the last coordinate running fastest

  std::uint32_t machines = 0;
  std::uint32_t rails = 0;  ///< the most common number of endpoints per machine

  /// "fat tree, 2 levels, 31 leaves x 9 spines, 2 cables a pair, oversubscription 1.29:1, 120 hosts with 4 rails"
  std::string summary;
  /// Everything that breaks the regular shape, by name: missing cables ("A10 <-> B03: 1 of 2 cables"), hosts on
  /// spines, unequal leaves, routers cabled to themselves, separate parts, hosts with fewer rails or without a cable;
  /// for a graph, first the reasons why it has none of the other shapes.
  std::vector<std::string> irregularities;
};

/// Recognises the shape of the network. The first that fits is taken of: a tree with most of its cables, full, a grid,
/// any other tree, a graph. A grid is recognised however its devices and ports are numbered; its dimensions come in the
/// order of the ports at a corner. Two dimensions of length 2 are the same graph as a ring of 4, and are reported as a
/// ring unless another dimension has edges. Takes a few milliseconds for thousands of routers.
[[nodiscard]] Shape recognise(const Network& network);

/// The grid that the network's source declares (ToldGrid), with only kind, dimensions, periodic and at filled in.
/// Nothing if it declares none, or if the cables between the routers are not exactly those of the grid.
[[nodiscard]] std::optional<Shape> told_shape(const Network& network);

/// The machines of a direct network as points of a grid.
struct MachineGrid {
  std::vector<std::uint32_t> dimensions;
  std::vector<bool> periodic;
  std::vector<std::uint32_t> point;  ///< by machine: row-major, last coordinate fastest; no_id if it has no cable
};

/// Nothing if the network is not direct, or its routers do not form a grid.
[[nodiscard]] std::optional<MachineGrid> machine_grid(const Network& network);

}  // namespace ayatori
