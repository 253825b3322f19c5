#pragma once
/// \file
/// Service levels (SLs) of paths, and the virtual lanes (VLs) that routers give them (InfiniBand Architecture
/// Specification 1.2, section 7.6). OpenSM's lash, dfsssp, torus-2QoS and nue avoid deadlock by them.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/network/network.hpp"
#include "ayatori/tables/tables.hpp"

namespace ayatori {

using ServiceLevel = std::uint8_t;
using VirtualLane = std::uint8_t;

inline constexpr std::size_t service_levels = 16;
inline constexpr VirtualLane last_data_lane =
    14;  ///< VL 15 is for management; routers discard data that is mapped to it

/// The SL that the subnet manager answers to who asks for a path.
class PathServiceLevels {
 public:
  void set(PortId source, Lid destination, ServiceLevel sl);
  [[nodiscard]] std::optional<ServiceLevel> of(PortId source, Lid destination) const;
  [[nodiscard]] std::size_t count() const { return count_; }  ///< paths with an SL

 private:
  static constexpr ServiceLevel none = 0xFF;
  std::map<PortId, std::vector<ServiceLevel>> by_source_;  // by LID
  std::size_t count_ = 0;
};

/// Which VL a router gives a packet, by the port it came in, the port it leaves by, and its SL.
class SlToVl {
 public:
  using Lanes = std::array<VirtualLane, service_levels>;

  explicit SlToVl(const Network& network) : lanes_(network.router_count()) {}

  void set(const Network& network, DeviceId router, PortNumber in, PortNumber out, const Lanes& lanes);
  /// Nothing where the router has no entry.
  [[nodiscard]] std::optional<VirtualLane> of(DeviceId router, PortNumber in, PortNumber out, ServiceLevel sl) const;
  [[nodiscard]] bool has(DeviceId router) const { return !lanes_[router].lanes.empty(); }

 private:
  static constexpr VirtualLane none = 0xFF;
  struct OfRouter {
    std::size_t width = 0;
    std::vector<VirtualLane> lanes;  // by port in, port out, SL
  };
  std::vector<OfRouter> lanes_;
};

/// Reads SLs in one of these formats; `lids` says whose LIDs they are. Paths from routers are skipped.
///
///     ibdmchk --psl    0x0002c90000000099 154 0             (GUID of the source's node or port, destination LID, SL)
///     OpenSM           Channel Adapter 0x0002c9000000009a, base LID 3, "H-1"
///                      0x009A : 0 : …                       (destination LID, SL)
///     saquery PR       PathRecord dump:
///                          dlid....................154      (and slid, sl)
///
/// Errors name file and line: an unknown GUID or LID, an SL over 15, another line, no path at all.
[[nodiscard]] Result<PathServiceLevels> parse_path_service_levels(std::string_view text, std::string_view file,
                                                                  const Network& network, const LidMap& lids);

/// Reads the mappings of all routers, in one of these formats. Those of adapters are skipped.
///
///     opensm-sl2vl.dump   Switch 0x0002c90000000201, base LID 2, "S-1"
///                         5   1   : 0  1  2  3  4  5  6  7  0  1  2  3  4  5  6  7     (port in, port out, VL by SL)
///     ibdmchk --slvl      0x0002c90000000201 5 1 0x01 0x23 0x45 0x67 0x01 0x23 0x45 0x67
///
/// Errors name file and line: an unknown router, a port that it lacks, a VL over 15, another line, a router without any
/// entry.
[[nodiscard]] Result<SlToVl> parse_sl_to_vl(std::string_view text, std::string_view file, const Network& network);

}  // namespace ayatori
