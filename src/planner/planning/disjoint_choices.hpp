#pragma once
/// \file
/// One of several sets of links for each message, such that no link is in two of the chosen sets.

#include <cstdint>
#include <vector>

namespace ayatori {

/// Sets of links that a message may take; links are any numbers.
using LinkSets = std::vector<std::vector<std::uint32_t>>;

struct DisjointChoices {
  /// By message: which of its sets. Disjoint if `disjoint`; otherwise each shares little with those before it.
  std::vector<std::uint32_t> choice;
  bool disjoint = false;
  bool exhausted = false;  ///< not disjoint, and no choice is
};

/// Looks through all choices, as far as `max_nodes` of that search go. Every message has at least one set.
/// Deterministic.
[[nodiscard]] DisjointChoices find_disjoint_choices(const std::vector<LinkSets>& messages, std::uint64_t max_nodes);

}  // namespace ayatori
