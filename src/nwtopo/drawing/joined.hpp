#pragma once
/// \file
/// Networks with more routers or cables than a picture can show one by one: sets of routers are drawn as one box each.

#include <cstdint>
#include <string>
#include <vector>

#include "layout.hpp"

namespace ayatori::drawing {

/// Every router is in one set.
struct RouterSets {
  std::vector<Row> sets;
  std::vector<std::string> labels;    ///< by set, short
  std::vector<std::uint32_t> set_of;  ///< by router
};

/// Of a tree: the leaves of a pod, the routers above them, and runs of the other rows; all of a set are of one level.
[[nodiscard]] RouterSets sets_of_tree(const Scene& scene, const std::vector<Row>& rows, std::size_t max_sets);
/// Of a grid: blocks of neighbouring points. `blocks` becomes the grid that the sets form.
[[nodiscard]] RouterSets sets_of_grid(const Scene& scene, const GridPoints& grid, std::size_t max_blocks,
                                      GridPoints& blocks);
/// Of a dragonfly: its groups, several of them in a set where there are many.
[[nodiscard]] RouterSets sets_of_groups(const Scene& scene, const std::vector<RouterGroup>& groups,
                                        std::size_t max_sets);
/// Of anything else: runs of routers in this order.
[[nodiscard]] RouterSets sets_of_row(const Scene& scene, const Row& order, std::size_t max_sets);

/// The scene with a router for each set: all endpoints of the set, and all cables between two sets as one bundle, or as
/// two if some are degraded. Cables inside a set are left out.
[[nodiscard]] Scene join(const Network& network, const Scene& scene, const RouterSets& sets);

/// Draws what join() leaves out as a loop at the box of the set, and says in the drawing which box shows which router.
void finish_joined(const Network& network, const Scene& scene, const RouterSets& sets, Drawing& drawing);

}  // namespace ayatori::drawing
