#pragma once
/// \file
/// A plan as a program applied it: which paths did its connections take, and are they those of the plan?

#include <cstdint>
#include <span>
#include <vector>

#include "ayatori/artefacts/applied_file.hpp"
#include "ayatori/artefacts/plan_file.hpp"

namespace ayatori {

/// Connections from the port of one rank to the port of another that took no path of the plan.
struct OtherPath {
  Rank from = 0;  ///< the first rank on the port
  Rank to = 0;
  Lid slid = 0;
  Lid dlid = 0;
  std::uint64_t count = 0;
};

struct AppliedPlan {
  /// One path for each pair of ranks: the planned one where some connection of their ports took it or there was none,
  /// and otherwise the one that most took.
  Plan plan;
  std::uint64_t connections = 0;  ///< between different ports of the job; each counts at both of its ends
  std::uint64_t as_planned = 0;
  std::uint64_t elsewhere = 0;            ///< connections to or from other ports than those of the job
  std::uint64_t port_pairs = 0;           ///< ordered pairs of different ports of the job
  std::uint64_t connected_pairs = 0;      ///< those of them with a connection
  std::vector<OtherPath> not_as_planned;  ///< in order of ranks
};

/// `records` are those of the processes of the job, in any order. A path is as planned if both of its LIDs are those of
/// one pair of ranks on its ports, or that plus the same number (ConnectionPaths, with the records' paths_per_pair).
[[nodiscard]] AppliedPlan apply_records(const PlanFile& plan, std::span<const AppliedFile> records);

}  // namespace ayatori
