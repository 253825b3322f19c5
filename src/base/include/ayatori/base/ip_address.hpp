#pragma once
/// \file
/// Addresses of IPv4 and IPv6, as the GIDs of RoCE version 2 have them: 16 bytes in network order, in which an IPv4
/// address is mapped (::ffff:10.0.0.1; RFC 4291, section 2.5.5.2).

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ayatori {

struct IpAddress {
  /// What an IPv4 address begins with.
  static constexpr std::array<std::uint8_t, 12> mapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};

  std::array<std::uint8_t, 16> bytes{};

  IpAddress() = default;
  explicit IpAddress(const std::array<std::uint8_t, 16>& all) : bytes(all) {}
  /// 10.0.0.1 is 0x0a000001.
  IpAddress(std::uint32_t ipv4);  // NOLINT: an IPv4 address is one of both

  [[nodiscard]] bool is_ipv4() const { return std::equal(mapped.begin(), mapped.end(), bytes.begin()); }
  /// The 4 bytes of an IPv4 address, the 16 of another one, in network order.
  [[nodiscard]] std::span<const std::uint8_t> sent() const {
    return std::span(bytes).subspan(is_ipv4() ? mapped.size() : 0);
  }

  auto operator<=>(const IpAddress&) const = default;
};

/// "10.0.0.1", or "fd00::1" as RFC 5952 writes it.
[[nodiscard]] std::string text_of(const IpAddress& address);

/// Either kind; four numbers up to 255 without leading zeros, or as RFC 4291 writes IPv6. Nothing for other texts.
[[nodiscard]] std::optional<IpAddress> parse_ip_address(std::string_view text);

}  // namespace ayatori
