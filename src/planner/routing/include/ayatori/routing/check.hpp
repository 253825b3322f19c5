#pragma once
/// \file
/// Checks forwarding tables, whether Ayatori made them, OpenSM did, or they come from a file: does every packet arrive,
/// can packets deadlock, and how evenly are the links used?

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "ayatori/network/network.hpp"
#include "ayatori/tables/tables.hpp"

namespace ayatori {

struct LinkBalance {  ///< LIDs routed over the directed links of one kind; in trees without those of idle routers
  std::string kind;   ///< "up 0->1", "down 1->0" by tree level; "links" if the network is not a tree
  std::uint64_t links = 0;
  std::uint64_t min = 0;
  std::uint64_t max = 0;
  double mean = 0;
};

/// How many of a port's paths differ, over ordered pairs of a NIC and a port of a NIC on another router. Two paths
/// differ if they share not all links. Paths on which packets are lost do not count; nor do ports with a single LID.
struct DistinctPaths {
  std::uint32_t min = 0;
  std::uint32_t max = 0;
  std::uint64_t pairs = 0;
  std::uint64_t sum = 0;

  void add(std::uint32_t distinct, std::uint64_t times) { add({distinct, distinct, times, distinct * times}); }
  void add(const DistinctPaths& other) {
    if (other.pairs == 0) return;
    min = pairs == 0 ? other.min : std::min(min, other.min);
    max = std::max(max, other.max);
    pairs += other.pairs;
    sum += other.sum;
  }
  [[nodiscard]] double mean() const { return pairs == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(pairs); }
};

struct TableCheck {
  /// (router, LID) pairs whose packets never arrive: dropped, misrouted or looping. Pairs in parts of the network that
  /// no cables join are not counted.
  std::uint64_t unreachable = 0;
  std::uint64_t looping = 0;  ///< those of them whose packets loop
  /// Those among the unreachable that are dropped on the way to a router's own LID. OpenSM's engines leave such entries
  /// out: only management packets go there, and those have directed routes. They make no table bad.
  std::uint64_t unrouted_router_lids = 0;
  /// Ports of NICs and aggregation nodes with a cable to a router, but without any LID in the tables: nobody can send
  /// to them. Ports that are cabled to another adapter need none.
  std::uint64_t ports_without_lids = 0;
  bool deadlock_free = true;  ///< the channel dependency graph of packets sent by channel adapters has no cycle
  std::vector<PortId> cycle;  ///< one cycle of directed links; empty if deadlock_free
  std::uint32_t longest = 0;  ///< the largest number of directed links on a route between two endpoints
  std::vector<LinkBalance> balance;
  DistinctPaths paths;  ///< no pairs if all ports have a single LID
  /// Links between routers that carry nothing from NIC to NIC, while their router sends several LIDs over one other
  /// link, and one of these would be as near by the idle one. Other idle links are forced by the number of LIDs.
  std::vector<PortId> idle_links;
  std::vector<std::string> parts;     ///< describe_parts()
  std::vector<std::string> problems;  ///< the first ten, with names, ports and LIDs; none of unrouted_router_lids

  [[nodiscard]] bool ok() const {
    return unreachable == unrouted_router_lids && ports_without_lids == 0 && deadlock_free;
  }
};

/// Follows every LID from every router that has a way in (threads over LIDs). Channel dependencies (Dally and Seitz,
/// 1987) are counted for traffic that starts at NICs and aggregation nodes, since only this traffic waits for credits;
/// routers' own management packets travel on VL 15, which has no flow control.
[[nodiscard]] TableCheck check_tables(const Network& network, const Routes& routes);

}  // namespace ayatori
