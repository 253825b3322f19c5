#pragma once
/// \file
/// How tables spread the packets of all pairs of hosts over the links between routers: what they are before anybody
/// knows which jobs will run.

#include <cstdint>

#include "ayatori/network/network.hpp"
#include "ayatori/tables/tables.hpp"

namespace ayatori {

struct AllPairs {
  std::uint64_t paths = 0;        ///< pairs of an endpoint and a LID of another one, if cables join their routers
  std::uint64_t unreachable = 0;  ///< of these, those whose packets never arrive, or whose destination has no LID
  std::uint32_t longest = 0;      ///< directed links on the longest path, with the cables of the hosts
  std::uint64_t links = 0;        ///< directed links between two routers
  std::uint64_t idle = 0;         ///< of these, those that no path takes
  std::uint64_t busiest = 0;      ///< most paths over one of them
  PortId busiest_link = no_id;
  double mean = 0;  ///< paths over one of them

  /// 1 is even; 0 where no path takes a link between routers.
  [[nodiscard]] double imbalance() const { return mean == 0 ? 0 : static_cast<double>(busiest) / mean; }
};

enum class LidsOfPairs : std::uint8_t { base, all };

/// Counts by base LIDs, which programs without a plan use, or by all LIDs. Takes time in proportion to LIDs × routers.
[[nodiscard]] AllPairs measure_all_pairs(const Network& network, const Routes& routes, LidsOfPairs which);

}  // namespace ayatori
