#pragma once
/// \file
/// Which pairs of destinations of a job may not take which paths together.
///
/// Two destinations conflict on a path if in some step their messages together are more than a link on it carries in
/// ideal(s). With one rank per endpoint that is so if, in some step, one leaf sends to both from outside their leaves,
/// or both are on one leaf and receive from outside it. A colouring without conflicts is necessary for a job without
/// hot spots, and with one rank per endpoint it is sufficient.

#include <cstdint>
#include <optional>
#include <vector>

#include "graph_colouring.hpp"
#include "job_demands.hpp"
#include "plan_methods.hpp"

namespace ayatori {

struct ConflictGraph {
  static constexpr std::uint8_t no_choice = 0xFF;

  ClashGraph graph;  ///< vertices are endpoints
  /// By endpoint and colour; no_choice where the endpoint lacks the colour.
  std::vector<std::vector<std::uint8_t>> choice;

  [[nodiscard]] PathChoices choices_of(const std::vector<std::uint8_t>& colouring) const;
  /// Do colours differ by name only, so that exchanging two of them everywhere changes nothing?
  [[nodiscard]] bool colours_are_alike() const;
};

/// A plain graph where the tables allow it: two levels, consistent labels, links of one rate. Otherwise a general
/// graph, or nothing if that would take more memory than `max_bytes`.
[[nodiscard]] std::optional<ConflictGraph> conflict_graph(const PlanTask& task, const JobDemands& demands,
                                                          std::uint64_t max_bytes);

}  // namespace ayatori
