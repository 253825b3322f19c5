#pragma once
/// \file
/// A subnet as a report describes it. The parsers and the live discovery fill a Subnet; to_network() checks it and
/// makes a Network of it. All string_views point into the report, which must outlive the Subnet.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/base/ids.hpp"
#include "ayatori/network/link_rate.hpp"
#include "ayatori/network/network.hpp"

namespace ayatori {

enum class ReportedKind : std::uint8_t {
  router,         ///< "Switch"
  adapter,        ///< "Ca"
  subnet_router,  ///< "Rt", which joins subnets; within one subnet it is an end, like an adapter
};

struct ReportedNode {
  std::string_view id;           ///< what the report calls it: "H-0002c90300a1b2c3"
  std::string_view description;  ///< may be empty
  Guid guid = 0;
  Guid port_guid = 0;  ///< of a router's port 0; 0 if it equals the node's
  Guid system_guid = 0;
  std::uint32_t vendor_id = 0;
  std::uint32_t model_id = 0;
  std::size_t line = 0;  ///< of the report; 0 if the report has no lines
  Lid lid = 0;           ///< of a router's port 0, as reported
  std::uint8_t lmc = 0;
  PortNumber port_count = 0;
  ReportedKind kind = ReportedKind::router;
};

/// One end of a cable, as reported by the node that it is plugged into. A complete report has both ends.
struct ReportedEnd {
  std::size_t line = 0;
  Guid guid = 0;  ///< of this port; 0 if not reported
  std::uint32_t node = 0;
  std::uint32_t peer = 0;
  Lid lid = 0;  ///< of this port; only adapters' ports have one
  Lid peer_lid = 0;
  PortNumber port = 0;
  PortNumber peer_port = 0;
  std::uint8_t lmc = 0;
  LinkRate rate;
  LinkRate max_rate;  ///< that the port supports
};

struct Subnet {
  std::string source;  ///< the file's name, or "ib:live"
  std::vector<ReportedNode> nodes;
  std::vector<ReportedEnd> ends;
  std::vector<std::string> warnings;  ///< of lines that are not part of the report
  /// The report's last line if it lacks a newline, else 0. Such a line may be cut off: the other end of the cable must
  /// confirm every value on it.
  std::size_t unended_line = 0;
};

/// "the router 'MF0;leaf-1:MQM9701/U1' (S-2c5eab0300b87b40)"
[[nodiscard]] std::string describe(const ReportedNode& node);

/// Checks the report and builds the Network. Errors, with the line: two nodes with one GUID or id, a cable that only
/// one end reports or that the ends report differently, a port number that the node does not have, all that
/// NetworkBuilder refuses, a bad `host_pattern`.
[[nodiscard]] Result<Network> to_network(const Subnet& subnet, std::string_view host_pattern);

}  // namespace ayatori
