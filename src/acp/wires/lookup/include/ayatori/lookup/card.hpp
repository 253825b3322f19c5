#pragma once
/// \file
/// Where a process can be reached: its *card*, which its peers fetch when they first need it.
///
///     lookup port (2 bytes), port of datagrams (2), number of addresses (1), addresses (17 each), adapter's address
///
/// An address is 16 bytes in network order, IPv4 mapped into IPv6, and the length of its network's prefix in bits of
/// these 16 bytes. Ports are little-endian.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/base/ip_address.hpp"

namespace ayatori::wires {

struct HostAddress {
  IpAddress ip;
  std::uint8_t prefix = 128;  ///< bits; of IPv4 with the 96 of the mapping

  auto operator<=>(const HostAddress&) const = default;
};

/// Whether an address begins as the network's addresses do.
[[nodiscard]] bool in_network_of(const HostAddress& network, const IpAddress& ip);

using AdapterAddress = std::vector<std::byte>;

struct Card {
  std::uint16_t lookup_port = 0;
  std::uint16_t data_port = 0;         ///< 0: not over UDP
  std::vector<HostAddress> addresses;  ///< of its host, at least 1; the one to prefer first
  AdapterAddress adapter;              ///< empty: none

  bool operator==(const Card&) const = default;
  [[nodiscard]] bool has(const IpAddress& ip) const;
};

inline constexpr std::size_t max_host_addresses = 6;
inline constexpr std::size_t max_adapter_bytes = 200;
inline constexpr std::size_t max_card_bytes = 5 + 17 * max_host_addresses + max_adapter_bytes;

[[nodiscard]] std::vector<std::byte> written(const Card& card);

/// Nothing if the bytes are no card.
[[nodiscard]] std::optional<Card> read_card(std::span<const std::byte> bytes);

/// The address of a peer to send to: the first in a network that this host has, too; without any, the first one.
/// Addresses that both hosts have are skipped (such as those of bridges, which are the same everywhere), unless the
/// peer is on this host.
[[nodiscard]] std::optional<IpAddress> reachable(std::span<const HostAddress> own, const Card& peer);

/// The addresses of this host, without those of single links. `networks`: those to take, such as "10.1.0.0/16,fd00::/8"
/// or names of interfaces; empty: all but the loopback's, those of devices before those of bridges and tunnels.
/// Errors: a word that is neither; no address.
[[nodiscard]] Result<std::vector<HostAddress>> own_addresses(std::string_view networks);

/// 127.0.0.1
[[nodiscard]] HostAddress loopback();

}  // namespace ayatori::wires
