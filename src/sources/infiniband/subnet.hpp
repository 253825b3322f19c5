#pragma once
/// \file
/// What an InfiniBand subnet reported about itself, whoever asked: the parsers and the live discovery fill this, and
/// one place checks it and makes a Network of it. Texts are views of the report, which must outlive the Subnet.

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
  router,   ///< "Switch"
  adapter,  ///< "Ca"
  gateway,  ///< "Rt", which joins subnets: to this one it is an end like an adapter
};

struct ReportedNode {
  std::string_view id;           ///< what the report calls it: "H-0002c90300a1b2c3"
  std::string_view description;  ///< may be empty
  Guid guid = 0;
  Guid port_guid = 0;  ///< of a router's port 0; 0 if it is the node's
  Guid system_guid = 0;
  std::size_t line = 0;  ///< where the report tells it; 0 if it has no lines
  Lid lid = 0;           ///< of a router's port 0, as reported
  std::uint8_t lmc = 0;
  PortNumber port_count = 0;
  ReportedKind kind = ReportedKind::router;
};

/// One end of a cable, as the node that it is plugged into told it. A whole report tells both ends.
struct ReportedEnd {
  std::size_t line = 0;
  Guid guid = 0;  ///< of this port; 0 if not told
  std::uint32_t node = 0;
  std::uint32_t peer = 0;
  Lid lid = 0;  ///< of this port, if it is an adapter's
  Lid peer_lid = 0;
  PortNumber port = 0;
  PortNumber peer_port = 0;
  std::uint8_t lmc = 0;
  LinkRate rate;
};

struct Subnet {
  std::string source;  ///< the file's name, or "ib:live"
  std::vector<ReportedNode> nodes;
  std::vector<ReportedEnd> ends;
  /// The report's last line if nothing ended it: what it says counts only if the cable's other end says the same.
  std::size_t unended_line = 0;
};

/// "the router 'MF0;leaf-1:MQM9701/U1' (S-2c5eab0300b87b40)"
[[nodiscard]] std::string describe(const ReportedNode& node);

/// Errors, with the line: two nodes with one GUID or id, a cable that only one end tells or that the ends tell
/// differently, port numbers beyond a node's, what NetworkBuilder refuses, a bad `host_pattern`.
[[nodiscard]] Result<Network> to_network(const Subnet& subnet, std::string_view host_pattern);

}  // namespace ayatori
