#pragma once
/// \file
/// Integer types by role. An id is an index into the arrays of its Network; it has no meaning in another Network.

#include <cstdint>
#include <limits>

namespace ayatori {

using DeviceId = std::uint32_t;    ///< a NIC, router or aggregation node of a Network
using PortId = std::uint32_t;      ///< one port slot of a Network; also the directed link that leaves it
using MachineId = std::uint32_t;   ///< a computer: the owner of NICs
using PlaneId = std::uint16_t;     ///< one physical network (an InfiniBand subnet, an Ethernet)
using PortNumber = std::uint16_t;  ///< as printed on the device; 0 is a router's management port
using Guid = std::uint64_t;        ///< EUI-64 of a device or port; 0 is "not known"
using Lid = std::uint16_t;         ///< InfiniBand local identifier; 0 is "not assigned"
using Rank = std::uint32_t;        ///< position of a process in its Job
using Bytes = std::uint64_t;

inline constexpr std::uint32_t no_id = std::numeric_limits<std::uint32_t>::max();

/// First and last unicast LID (InfiniBand Architecture Specification 1.2, section 4.1.3).
inline constexpr Lid first_unicast_lid = 0x0001;
inline constexpr Lid last_unicast_lid = 0xBFFF;

/// LMC is a 3-bit field (InfiniBand Architecture Specification 1.2, section 3.5.10).
inline constexpr int max_lmc = 7;

}  // namespace ayatori
