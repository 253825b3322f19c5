#pragma once
/// \file
/// One layout a kind of shape. Each fills in all of a Drawing but `shape` and `missing`.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ayatori/drawing/cable_graph.hpp"
#include "ayatori/drawing/drawing.hpp"
#include "ayatori/network/network.hpp"

namespace ayatori::drawing {

/// What is drawn: routers by id (or sets of them, joined.hpp), and the cables between two of them.
struct Scene {
  std::vector<std::string> names;              ///< by router
  std::vector<std::string> labels;             ///< short names
  std::vector<std::vector<PortId>> endpoints;  ///< by router: NICs plugged into it, by its own port number
  std::vector<CableBundle> bundles;            ///< `from` and `to` are routers

  [[nodiscard]] std::size_t size() const { return names.size(); }
};
[[nodiscard]] Scene scene_of(const Network& network);

using Row = std::vector<DeviceId>;  ///< routers from left to right
using Levels =
    std::vector<uint8_t>;  ///< by router, from 0 on; unlike ayatori::Levels, cables may join two of one level

/// Routers at the points of a grid.
struct GridPoints {
  std::vector<std::uint32_t> dimensions;
  std::vector<DeviceId> at;  ///< by point, the last coordinate running fastest
  bool full_rows = false;    ///< HyperX: every router is cabled to every other of its row
};

[[nodiscard]] Drawing tree_layout(const Network& network, const Scene& scene, const Levels& levels);
[[nodiscard]] Drawing grid_layout(const Scene& scene, const GridPoints& grid);
/// Groups on a circle, each as a circle (spines inside), or one group as a circle.
[[nodiscard]] Drawing circle_layout(const Network& network, const Scene& scene, const std::vector<RouterGroup>& groups);
/// Routers as far from each other as they are in the network, as far as a plane allows (stress majorization, Gansner
/// et al. 2004).
[[nodiscard]] Drawing force_layout(const Scene& scene);

/// A tree's rows, from the leaves up: by name, but those that share cables, or whose hosts are the same, side by side.
[[nodiscard]] std::vector<Row> tree_rows(const Network& network, const Scene& scene, const Levels& levels);
/// The connected parts of two neighbouring rows (for instance pods), in the order of the lower one.
[[nodiscard]] std::vector<Row> parts_between(const Scene& scene, const Row& lower, const Row& upper);

/// Routers of one row that stand side by side and that a bundle may lead to as a whole.
struct Cluster {
  std::size_t begin = 0;  ///< of the row
  std::size_t end = 0;
};
/// At most so many: the parts that the cables to the row below make, or runs of equal length if these are too many.
[[nodiscard]] std::vector<Cluster> clusters_of_row(const Scene& scene, const std::vector<Row>& rows, std::size_t level,
                                                   std::size_t max_clusters);

/// Pairs of routers that have fewer cables than most of their kind: between the rows of a part of a tree, along the
/// lines of a grid, within a group.
[[nodiscard]] std::vector<MissingCables> missing_in_tree(const Scene& scene, const std::vector<Row>& rows);
[[nodiscard]] std::vector<MissingCables> missing_in_grid(const Scene& scene, const GridPoints& grid,
                                                         const std::vector<bool>& periodic);
[[nodiscard]] std::vector<MissingCables> missing_in_groups(const Scene& scene, const std::vector<RouterGroup>& groups);

/// A bundle's cables as a line from `from` to `to`.
[[nodiscard]] DrawnBundle straight(const CableBundle& bundle, Point from, Point to);
/// Its ports at `to`.
[[nodiscard]] std::vector<PortId> far_ports(const Network& network, const CableBundle& bundle);

/// Sets joined one by one.
class Partition {
 public:
  explicit Partition(std::size_t size);
  [[nodiscard]] std::uint32_t root(std::uint32_t i);
  void join(std::uint32_t a, std::uint32_t b) { parent_[root(a)] = root(b); }

 private:
  std::vector<std::uint32_t> parent_;
};

}  // namespace ayatori::drawing
