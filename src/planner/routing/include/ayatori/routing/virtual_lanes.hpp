#pragma once
/// \file
/// Deadlock of tables that need service levels: the channel dependency graph whose vertices are the virtual lanes of
/// directed links (Dally and Seitz, 1987).

#include <cstdint>
#include <vector>

#include "ayatori/network/network.hpp"
#include "ayatori/routing/service_levels.hpp"
#include "ayatori/tables/tables.hpp"

namespace ayatori {

struct Channel {
  PortId link = no_id;
  VirtualLane vl = 0;
};

struct LaneUse {
  VirtualLane vl = 0;
  std::uint32_t links = 0;    ///< directed links between routers that carry packets on it
  bool deadlock_free = true;  ///< no cycle stays on this VL
};

struct LaneCheck {
  std::uint64_t paths = 0;             ///< pairs of an adapter's port and a LID of another one
  std::uint64_t paths_without_sl = 0;  ///< of these, those that the file of SLs lacks: they count at SL 0
  /// Hops, distinct by LID, link and SL, at which a router discards packets: its mapping has VL 15 or no entry.
  std::uint64_t discarded = 0;
  std::vector<LaneUse> lanes;  ///< that packets use, in order
  bool deadlock_free = true;   ///< the graph over all VLs has no cycle
  std::vector<Channel> cycle;  ///< each waits for the next, and the last for the first; empty if deadlock_free
  /// The same if every packet has SL 0, as those of programs that never ask the subnet manager for a path.
  bool deadlock_free_at_sl_0 = true;
  std::vector<Channel> cycle_at_sl_0;
};

/// Follows each path that adapters can take, once with its SL and once with SL 0. Without `levels` all paths have SL 0,
/// without `lanes` the VL is the SL.
[[nodiscard]] LaneCheck check_lanes(const Network& network, const Routes& routes, const PathServiceLevels* levels,
                                    const SlToVl* lanes);

}  // namespace ayatori
