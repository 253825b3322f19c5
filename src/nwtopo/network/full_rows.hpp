#pragma once
/// \file
/// Recognises the graph of a HyperX (Ahn et al., "HyperX: topology, routing, and packaging of efficient large-scale
/// networks", 2009): vertices at the points of a box, and those that differ in one coordinate only are all joined.

#include <cstdint>
#include <expected>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "adjacency.hpp"

namespace ayatori {

struct FullRows {
  std::vector<std::uint32_t> dimensions;  ///< two or more lengths, each at least 2
  std::vector<std::uint32_t> at;          ///< vertex at each point, the last coordinate running fastest
};

/// Some of the edges may be missing, at most a quarter in each dimension, and a few may be there that do not belong to
/// it, as long as these do not hide the dimensions. `order` has every vertex once: coordinates are numbered in the
/// order in which it first has them. Error: why it is not such a graph, without names.
[[nodiscard]] std::expected<FullRows, std::string_view> find_full_rows(const Adjacency& graph,
                                                                       std::span<const std::uint32_t> order);

/// Calls `visit(a, b, dimension)` for every two vertices that should be joined.
template <typename Visit>
void for_pairs_of_rows(const FullRows& rows, Visit visit) {
  std::size_t stride = rows.at.size();
  for (std::size_t i = 0; i < rows.dimensions.size(); ++i) {
    const std::size_t length = rows.dimensions[i];
    stride /= length;
    for (std::size_t point = 0; point < rows.at.size(); ++point) {
      const std::size_t here = point / stride % length;
      for (std::size_t there = here + 1; there < length; ++there) {
        visit(rows.at[point], rows.at[point + (there - here) * stride], i);
      }
    }
  }
}

/// The pairs of vertices that are joined though they differ in more than one coordinate.
[[nodiscard]] std::vector<std::pair<std::uint32_t, std::uint32_t>> joined_across_rows(const Adjacency& graph,
                                                                                      const FullRows& rows);

/// Gives the dimensions another order: dimension i becomes what was dimension `order[i]`.
[[nodiscard]] FullRows with_dimensions_in_order(const FullRows& rows, std::span<const std::size_t> order);

}  // namespace ayatori
