#pragma once
/// \file
/// The rate of a link: its width (lanes) and the speed of a lane, or a plain number for links without lanes.

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
  std::uint32_t megabits = 0;  ///< payload rate in Mbit/s of a link without lanes (Ethernet, Tofu); 0 if it has lanes

  [[nodiscard]] bool known() const { return megabits != 0 || (width != 0 && speed != LaneSpeed::unknown); }

  /// Payload rate of one direction after line coding, in bytes: 4xDDR is 2e9, 25Gbit/s is 3.125e9. 0 if not known.
  [[nodiscard]] double bytes_per_second() const;

  friend bool operator==(const LinkRate&, const LinkRate&) = default;
};

/// "4xNDR", "25Gbit/s", "2500Mbit/s"; "?" if not known.
[[nodiscard]] std::string to_string(LinkRate rate);

/// Reads "4xNDR" as ibnetdiscover prints it, "25Gbit/s", "100Mbit/s", "5GB/s" or "1716MB/s"; nothing if the
/// text has another form, is 0, or does not fit into 32 bits of Mbit/s (about 4295 Tbit/s).
[[nodiscard]] std::optional<LinkRate> parse_link_rate(std::string_view text);

}  // namespace ayatori
