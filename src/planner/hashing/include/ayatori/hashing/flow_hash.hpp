#pragma once
/// \file
/// What Ethernet switches hash of a packet to choose among cables that are equally short (equal-cost multipath), and
/// how the source port of RoCE version 2 follows from a connection's flow label. docs/roce.md describes the hashes.

#include <cstdint>
#include <functional>
#include <string_view>

#include "ayatori/base/error.hpp"
#include "ayatori/base/ip_address.hpp"

namespace ayatori {

/// Source ports of RoCE, as Linux makes them of flow labels (rdma_flow_label_to_udp_sport).
inline constexpr std::uint16_t first_source_port = 0xC000;
inline constexpr std::uint32_t source_port_count = 0x4000;

/// The five-tuple of a packet of RoCE version 2, both addresses of IPv4 or both of IPv6; destination port and protocol
/// are always the same.
struct RoceFlow {
  IpAddress source;
  IpAddress destination;
  std::uint16_t source_port = first_source_port;
};

/// Which of `cables` (at least 2), in order of their ports, the switch called `name` with this seed takes.
using CableChoice =
    std::function<std::uint32_t(const RoceFlow& flow, std::string_view name, std::uint32_t seed, std::uint32_t cables)>;

/// "xor", "crc16", "crc32", or "library:FILE" (src/planner/include/ayatori_hash.h). Errors: another word, a library
/// that can't be loaded or does not define the function. A library is never unloaded.
[[nodiscard]] Result<CableChoice> cable_choice_of(std::string_view hash);

/// The 16-bit words of the five-tuple and of the seed, combined by exclusive or.
[[nodiscard]] std::uint32_t xor_hash(const RoceFlow& flow, std::uint32_t seed);

/// CRC-16/CCITT-FALSE (polynomial 0x1021, first value 0xFFFF), and CRC-32 (IEEE 802.3), of the seed in four bytes and
/// then the five-tuple in network byte order: source and destination address (4 or 16 bytes each), protocol, source and
/// destination port.
[[nodiscard]] std::uint32_t crc16_hash(const RoceFlow& flow, std::uint32_t seed);
[[nodiscard]] std::uint32_t crc32_hash(const RoceFlow& flow, std::uint32_t seed);

/// 0xC000 | ((label & 0x3fff) ^ (label >> 14)), for a flow label of 20 bits.
[[nodiscard]] std::uint16_t source_port_of(std::uint32_t flow_label);

/// A flow label that gives this source port, and is not 0: with 0, adapters make the port of queue pairs' numbers.
[[nodiscard]] std::uint32_t flow_label_of(std::uint16_t source_port);

}  // namespace ayatori
