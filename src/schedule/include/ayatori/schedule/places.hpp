#pragma once
/// \file
/// Where ranks are: what an algorithm that suits the network needs to know of it, and no more.

#include <cstdint>
#include <span>
#include <vector>

#include "ayatori/base/ids.hpp"
#include "ayatori/network/job.hpp"
#include "ayatori/network/network.hpp"

namespace ayatori {

struct Places {
  std::vector<std::uint32_t> machine;  ///< by rank: its machine, numbered from 0 in the order of their first ranks
  std::vector<std::uint32_t> group;    ///< by machine: the leaf, chassis or dragonfly group it is in, numbered likewise
  std::vector<bool> gateway;           ///< by machine: on every plane of the job; all of them if there is one plane

  /// Routers that can reduce what passes: of each group its own, and if there are several groups, one above them all;
  /// in-network reductions have them as participants n, n + 1, … behind the n ranks. Empty: not known.
  std::vector<DeviceId> aggregators;

  /// The machines as a grid, empty if they are none: lengths, and whether each dimension is a ring.
  std::vector<std::uint32_t> dimensions;
  std::vector<bool> periodic;
  std::vector<std::uint32_t> point;  ///< by machine: row-major number of its point, last coordinate fastest

  [[nodiscard]] std::uint32_t machine_count() const { return static_cast<std::uint32_t>(group.size()); }
};

/// Every rank on a machine of its own, no groups, no grid: for algorithms that need to know nothing.
[[nodiscard]] Places places_of_ranks(Rank ranks, std::uint32_t ranks_per_machine = 1);

/// The ranks of a grid's machines in row-major order.
[[nodiscard]] Places places_on_grid(std::span<const std::uint32_t> dimensions, std::span<const bool> periodic,
                                    std::uint32_t ranks_per_machine = 1);

/// Of a job: groups are the routers of their first endpoints, or in a dragonfly (as far as its
/// cables tell, router_groups.hpp) the groups of these routers; the grid is that of a direct network, if the job's
/// machines fill a box of it (over the edge of a torus, too).
[[nodiscard]] Places places_of_job(const Network& network, const Job& job);

}  // namespace ayatori
