#include "ayatori/network/link_rate.hpp"

#include <fmt/format.h>

#include <array>

#include "ayatori/base/text.hpp"

namespace ayatori {

namespace {

struct Speed {
  LaneSpeed speed;
  std::string_view name;
  double lane_gigabits;  // after line coding (8b/10b up to QDR, 64b/66b from FDR10 on)
};

constexpr std::array speeds = {
    Speed{LaneSpeed::sdr, "SDR", 2},      Speed{LaneSpeed::ddr, "DDR", 4},     Speed{LaneSpeed::qdr, "QDR", 8},
    Speed{LaneSpeed::fdr10, "FDR10", 10}, Speed{LaneSpeed::fdr, "FDR", 13.64}, Speed{LaneSpeed::edr, "EDR", 25},
    Speed{LaneSpeed::hdr, "HDR", 50},     Speed{LaneSpeed::ndr, "NDR", 100},   Speed{LaneSpeed::xdr, "XDR", 200},
};

}  // namespace

double LinkRate::bytes_per_second() const {
  for (const auto& entry : speeds) {
    if (entry.speed == speed) return width * entry.lane_gigabits * 1e9 / 8;
  }
  return 0;
}

std::string to_string(LinkRate rate) {
  for (const auto& entry : speeds) {
    if (entry.speed == rate.speed) return fmt::format("{}x{}", rate.width, entry.name);
  }
  return "?";
}

std::optional<LinkRate> parse_link_rate(std::string_view text) {
  const auto x = text.find('x');
  if (x == std::string_view::npos) return std::nullopt;
  const auto width = parse_unsigned<std::uint8_t>(text.substr(0, x));
  if (!width || *width == 0) return std::nullopt;
  for (const auto& entry : speeds) {
    if (entry.name == text.substr(x + 1)) return LinkRate{*width, entry.speed};
  }
  return std::nullopt;
}

}  // namespace ayatori
