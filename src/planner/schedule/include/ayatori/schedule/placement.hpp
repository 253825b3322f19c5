#pragma once
/// \file
/// The placement of ranks on machines, groups and a grid: all that algorithms know of the network.

#include <cstdint>
#include <span>
#include <vector>

#include "ayatori/base/ids.hpp"
#include "ayatori/network/job.hpp"
#include "ayatori/network/network.hpp"

namespace ayatori {

/// By rank the machine, by machine the group and the point in a grid. Value type; no errors.
struct Placement {
  std::vector<std::uint32_t> machine;  ///< by rank; machines are numbered in the order of their first ranks
  std::vector<std::uint32_t> group;    ///< by machine: its leaf, chassis or dragonfly group, numbered likewise
  std::vector<bool> gateway;           ///< by machine: whether it is on every plane of the job

  /// Routers that can reduce what passes through them: one for each group, and if there are several groups, one above
  /// them. In an in-network reduction of n ranks they are the participants n, n + 1, …. Empty: not known.
  std::vector<DeviceId> aggregators;

  /// The lengths of the grid that the machines form, and whether each dimension is a ring. Empty if they form none.
  std::vector<std::uint32_t> dimensions;
  std::vector<bool> periodic;
  std::vector<std::uint32_t> point;  ///< by machine: the row-major number of its point in the grid

  [[nodiscard]] std::uint32_t machine_count() const { return static_cast<std::uint32_t>(group.size()); }
};

/// `ranks_per_machine` ranks on each machine (fewer on the last), all machines in one group, without a grid.
[[nodiscard]] Placement placement_of_ranks(Rank ranks, std::uint32_t ranks_per_machine = 1);

/// `ranks_per_machine` ranks on each machine of a grid; ranks follow its points in row-major order.
[[nodiscard]] Placement placement_on_grid(std::span<const std::uint32_t> dimensions, std::span<const bool> periodic,
                                          std::uint32_t ranks_per_machine = 1);

/// The placement of a job's ranks. Machines are in one group if their first endpoints are on the same router. In a
/// dragonfly that is recognised by its cables, a group is one of the dragonfly. The machines form a grid if the network
/// is direct and they fill a box of it, which may wrap around a torus.
[[nodiscard]] Placement placement_of_job(const Network& network, const Job& job);

/// The placement of some of the ranks of `whole`, in this order: those of a communicator. Groups are those of `whole`.
/// The machines form a grid if they fill a box of the grid of `whole`. Aggregators are not known.
[[nodiscard]] Placement placement_of_part(const Placement& whole, std::span<const Rank> ranks);

}  // namespace ayatori
