#pragma once
/// \file
/// Colouring the edges of a bipartite multigraph.
///
/// König (1916): the edges of a bipartite multigraph of degree Δ can be coloured with Δ colours so that all edges of a
/// vertex have different colours. In a fat tree, one step of a job is such a graph (messages are edges from the leaf
/// that they leave to the leaf that they enter, paths are colours), which is why paths without a hot spot always exist.

#include <bitset>
#include <cstdint>
#include <span>
#include <vector>

namespace ayatori {

constexpr std::size_t max_edge_colours = 256;  ///< more than a router has ports
using EdgeColours = std::bitset<max_edge_colours>;

struct BipartiteEdge {
  std::uint32_t left = 0;
  std::uint32_t right = 0;
  EdgeColours list;  ///< colours that this edge may take
};

constexpr std::uint16_t no_colour = 0xFFFF;

/// Gives every edge a colour from its list, or no_colour if none was found. With U(v) the union of the lists at
/// vertex v, no colour is given more than ⌈degree(v) / |U(v)|⌉ times at v. If all lists hold the same colours,
/// every edge gets one (König, applied to vertices split into parts of |U(v)| edges). With unequal lists, edges are
/// swapped along alternating paths as far as lists allow.
[[nodiscard]] std::vector<std::uint16_t> colour_edges(std::span<const BipartiteEdge> edges);

}  // namespace ayatori
