#pragma once
/// \file
/// How many hot spots can't be avoided with one choice per endpoint? An exhaustive search with growing limits.

#include <cstdint>

#include "ayatori/base/search_control.hpp"
#include "conflict_graph.hpp"
#include "job_loads.hpp"

namespace ayatori {

struct FewestHotSpots {
  std::uint64_t at_least = 0;  ///< proven
  bool found = false;          ///< choices with exactly that many
  PathChoices choices;         ///< if found
  std::uint64_t tried = 0;     ///< choices that the search gave to an endpoint: nodes of its trees
};

/// Asks for choices with at most n = `at_least`, n + 1, … hot spots (iterative deepening: hot spots only grow as
/// endpoints are added); fewer must be known to be impossible. Ends with choices, or when `known` hot spots (which some
/// choices are known to have) are proven to be the fewest, or after `effort` as counted by `loads`. Endpoints are added
/// neighbours first; in a plain graph with full lists, colours that no endpoint has yet are interchangeable. `loads` is
/// empty afterwards. Where `control` stops it, it ends as after `effort`.
[[nodiscard]] FewestHotSpots fewest_hot_spots(const ConflictGraph& graph, JobLoads& loads, std::uint64_t at_least,
                                              std::uint64_t known, std::uint64_t effort, const SearchControl& control);

}  // namespace ayatori
