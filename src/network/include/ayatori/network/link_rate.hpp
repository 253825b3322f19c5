#pragma once
/// \file
/// What a link carries: its width (lanes) and the speed of a lane.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ayatori {

/// Speed of one lane (InfiniBand Architecture Specification 1.2, section 14.2.5.6, and its later releases).
enum class LaneSpeed : std::uint8_t { unknown, sdr, ddr, qdr, fdr10, fdr, edr, hdr, ndr, xdr };

struct LinkRate {
  std::uint8_t width = 0;  ///< lanes: 1, 2, 4, 8, 12; 0 is "not known"
  LaneSpeed speed = LaneSpeed::unknown;

  [[nodiscard]] bool known() const { return width != 0 && speed != LaneSpeed::unknown; }

  /// Payload rate of one direction after line coding: 4xDDR is 2e9. 0 if not known.
  [[nodiscard]] double bytes_per_second() const;

  friend bool operator==(const LinkRate&, const LinkRate&) = default;
};

/// "4xNDR"; "?" if not known.
[[nodiscard]] std::string to_string(LinkRate rate);

/// Reads "4xNDR" as ibnetdiscover prints it; nothing if it is no such word.
[[nodiscard]] std::optional<LinkRate> parse_link_rate(std::string_view text);

}  // namespace ayatori
