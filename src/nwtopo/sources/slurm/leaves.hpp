#pragma once
/// \file
/// Which routers of a network are one switch, and which are leaves, for Slurm's trees: each node is under one switch.

#include <expected>
#include <span>
#include <vector>

#include "ayatori/network/levels.hpp"
#include "ayatori/network/network.hpp"
#include "ayatori/network/router_graph.hpp"

namespace ayatori::slurm {

/// As rank_levels(), and in networks that it refuses because leaves are cabled to each other without these cables, if
/// among the leaves that they join each is cabled to each other.
[[nodiscard]] std::expected<Levels, NotATree> levels_for_slurm(const Network& network, const RouterGraph& graph);

/// Routers of one level that share their machines, as the leaves of rails do, are one switch.
class JoinedLeaves {
 public:
  /// Two routers of a level are joined if of both at least half of the machines are on the other as well.
  JoinedLeaves(const Network& network, const Levels& levels);

  /// The router that a machine is written under: of those that it has most cables to the lowest, and of these the
  /// first by id. no_id if it has no cable to a router.
  [[nodiscard]] DeviceId router_of(MachineId machine) const { return router_of_[machine]; }
  /// The first by id of the routers that are one with this one.
  [[nodiscard]] DeviceId first_of(DeviceId router) const { return first_[router]; }
  /// All of them, itself too, by id.
  [[nodiscard]] std::span<const DeviceId> joined_with(DeviceId router) const { return members_[first_[router]]; }

 private:
  std::vector<DeviceId> router_of_;             // by machine
  std::vector<DeviceId> first_;                 // by router
  std::vector<std::vector<DeviceId>> members_;  // by first router
};

}  // namespace ayatori::slurm
