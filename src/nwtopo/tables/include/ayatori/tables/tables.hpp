#pragma once
/// \file
/// Routes of packets. Every router has a linear forwarding table
/// (LFT) that maps a destination LID to the port where the packet leaves.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/network/network.hpp"
#include "ayatori/tables/lids.hpp"

namespace ayatori {

/// A port as a forwarding table holds it: 1 byte, as in InfiniBand; 255 is "drop". Tables take the most memory
/// of all that routing keeps, so entries do not have the 2 bytes of a PortNumber.
using TablePort = std::uint8_t;

/// The highest port number that a table can name.
inline constexpr PortNumber last_table_port = 254;

/// Error: a router with more ports than a forwarding table can name. Call it before making Routes.
[[nodiscard]] Result<> check_table_ports(const Network& network);

/// The output port of every router for every LID, 1 byte each. Not safe for concurrent writing to one router's row.
class ForwardingTables {
 public:
  static constexpr TablePort no_port = 255;  ///< "drop" (InfiniBand Architecture Specification 1.2, section 14.2.5.11)

  ForwardingTables() = default;
  ForwardingTables(std::size_t routers, Lid last_lid);

  [[nodiscard]] PortNumber out(DeviceId router, Lid lid) const { return entries_[router * width_ + lid]; }
  void set_out(DeviceId router, Lid lid, PortNumber port) {
    entries_[router * width_ + lid] = static_cast<TablePort>(port);
  }

  /// Entries of one router, indexed by LID 0 … last_lid().
  [[nodiscard]] std::span<const TablePort> row(DeviceId router) const {
    return {entries_.data() + router * width_, width_};
  }
  [[nodiscard]] std::span<TablePort> row(DeviceId router) { return {entries_.data() + router * width_, width_}; }

  [[nodiscard]] std::size_t router_count() const { return width_ == 0 ? 0 : entries_.size() / width_; }
  [[nodiscard]] Lid last_lid() const { return static_cast<Lid>(width_ == 0 ? 0 : width_ - 1); }

  friend bool operator==(const ForwardingTables&, const ForwardingTables&) = default;

 private:
  std::size_t width_ = 0;
  std::vector<TablePort> entries_;  // router-major
};

/// Counts the entries in which two sets of tables of one network differ. A LID beyond the last of one set is dropped
/// there. Error: the sets have different numbers of routers.
[[nodiscard]] Result<std::uint64_t> count_differences(const ForwardingTables& a, const ForwardingTables& b);

/// LIDs of ports, and the forwarding tables for them.
struct Routes {
  LidMap lids;
  ForwardingTables tables;
  std::vector<std::string> warnings = {};  ///< of lines of a file that were skipped: entries may be missing
};

/// What the paths between a job's ports depend on, as 16 hexadecimal digits: the ports' GUIDs and LIDs, and each entry
/// that a message between them can meet, with the switch behind it. What happens elsewhere in the fabric doesn't change
/// it, nor does the order in which a fabric was read. Not cryptographic.
[[nodiscard]] std::string fingerprint_of(const Network& network, const Routes& routes,
                                         std::span<const PortId> endpoints);

/// Counts the entries for base LIDs of NICs and aggregation ports in which two sets of tables of one network differ,
/// whatever LIDs the two give a port. A port without a LID is dropped. Routers' own LIDs, which only management uses,
/// do not count. Error: the sets have different numbers of routers.
[[nodiscard]] Result<std::uint64_t> count_base_differences(const Network& network, const Routes& a, const Routes& b);

/// Follows a packet from the NIC port `source` to `destination`, calling `visit(PortId)` with each directed link it
/// takes, first the source's own cable. Returns false, after visiting the links that it took, if the packet is dropped,
/// leaves by a port without a cable, arrives at another device, or has made more hops than there are routers (a loop).
template <typename Visit>
bool trace(const Network& network, const Routes& routes, PortId source, Lid destination, Visit&& visit) {
  const PortId goal = routes.lids.owner(destination);
  if (goal == no_id || destination > routes.tables.last_lid()) return false;
  PortId link = source;
  for (std::size_t hops = 0; hops <= network.router_count(); ++hops) {
    const PortId arrival = network.port(link).peer;
    if (arrival == no_id) return false;
    visit(link);
    const DeviceId here = network.port(arrival).device;
    if (arrival == goal) return true;
    if (!network.is_router(here)) return false;
    const PortNumber out = routes.tables.out(here, destination);
    if (out == 0) return network.port_id(here, 0) == goal;
    if (out > network.device(here).port_count) return false;
    link = network.port_id(here, out);
  }
  return false;
}

}  // namespace ayatori
