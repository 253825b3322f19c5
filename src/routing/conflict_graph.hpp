#pragma once
/// \file
/// Which destinations of a job may not take which paths together.
///
/// Two destinations conflict on a path if in some step their messages together are more than a link on it carries in
/// ideal(s). With one rank a node: if, in some step, both are off-leaf destinations of one leaf, or both sit on one
/// leaf and receive from outside. A colouring without conflicts is necessary for a job without hot spots, and with one
/// rank a node it is sufficient.

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "graph_colouring.hpp"
#include "job_demands.hpp"
#include "plan_methods.hpp"

namespace ayatori {

/// The pairs of destinations that conflict in one step over the links of one leaf in one direction.
using ConflictGroup = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

struct ConflictGraph {
  ClashGraph graph;                               ///< vertices are nodes
  std::vector<std::vector<std::uint8_t>> choice;  ///< by node and colour; colours that a node lacks have any
  std::vector<ConflictGroup> groups;              ///< plain graphs only

  [[nodiscard]] NodeChoices choices_of(const std::vector<std::uint8_t>& colouring) const;
};

/// A plain graph where the tables allow it: two levels, consistent labels, links of one rate. Else one of single
/// clashes. Nothing if that would take more memory than `most_bytes`.
[[nodiscard]] std::optional<ConflictGraph> conflict_graph(const PlanTask& task, const JobDemands& demands,
                                                          std::uint64_t most_bytes);

/// Groups that must contain two conflicting destinations of one colour, whatever the colouring: cliques of more
/// vertices than colours, chosen so that no two of them can point at the same group. Each such group has a hot
/// spot of its own. `budget` as in find_clique, for each clique.
[[nodiscard]] std::uint64_t clique_bound(std::uint32_t vertices, std::size_t colours,
                                         const std::vector<ConflictGroup>& groups, std::uint64_t budget);

}  // namespace ayatori
