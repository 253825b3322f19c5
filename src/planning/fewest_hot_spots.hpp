#pragma once
/// \file
/// How many hot spots must there be with one choice per node? Exhaustive search with growing limits.

#include <cstdint>

#include "conflict_graph.hpp"
#include "job_loads.hpp"

namespace ayatori {

struct FewestHotSpots {
  std::uint64_t at_least = 0;  ///< proven
  bool found = false;          ///< choices with exactly that many
  NodeChoices choices;         ///< if found
  std::uint64_t nodes = 0;     ///< of the search trees
};

/// Asks for choices with at most n = `at_least`, n + 1, … hot spots (iterative deepening: hot spots only grow as nodes
/// are added); fewer must be known to be impossible. Ends with choices, or when `known` hot spots (which some choices
/// are known to have) are proven to be the fewest, or after `effort` as counted by `loads`. Nodes are added neighbours
/// first; colours that nobody has yet are alike in a plain graph with full lists. `loads` is empty afterwards.
[[nodiscard]] FewestHotSpots fewest_hot_spots(const ConflictGraph& graph, JobLoads& loads, std::uint64_t at_least,
                                              std::uint64_t known, std::uint64_t effort);

}  // namespace ayatori
