#include "ayatori/network/link_rate.hpp"

#include <fmt/core.h>

#include <array>
#include <limits>

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

struct Unit {
  std::string_view name;
  std::uint64_t megabits;
};

constexpr std::array units = {Unit{"Gbit/s", 1000}, Unit{"Mbit/s", 1}, Unit{"GB/s", 8000}, Unit{"MB/s", 8}};

std::optional<LinkRate> parse_plain_rate(std::string_view text) {
  for (const Unit& unit : units) {
    if (!text.ends_with(unit.name)) continue;
    const auto count = parse_unsigned<std::uint32_t>(text.substr(0, text.size() - unit.name.size()));
    if (!count || *count == 0 || *count > std::numeric_limits<std::uint32_t>::max() / unit.megabits) break;
    return LinkRate{0, LaneSpeed::unknown, static_cast<std::uint32_t>(*count * unit.megabits)};
  }
  return std::nullopt;
}

}  // namespace

double LinkRate::bytes_per_second() const {
  if (megabits != 0) return megabits * 1e6 / 8;
  for (const auto& entry : speeds) {
    if (entry.speed == speed) return width * entry.lane_gigabits * 1e9 / 8;
  }
  return 0;
}

std::string to_string(LinkRate rate) {
  if (rate.megabits != 0) {
    return rate.megabits % 1000 == 0 ? fmt::format("{}Gbit/s", rate.megabits / 1000)
                                     : fmt::format("{}Mbit/s", rate.megabits);
  }
  for (const auto& entry : speeds) {
    if (entry.speed == rate.speed) return fmt::format("{}x{}", rate.width, entry.name);
  }
  return "?";
}

std::optional<LinkRate> parse_link_rate(std::string_view text) {
  const auto x = text.find('x');
  if (x == std::string_view::npos) return parse_plain_rate(text);
  const auto width = parse_unsigned<std::uint8_t>(text.substr(0, x));
  if (!width || *width == 0) return std::nullopt;
  for (const auto& entry : speeds) {
    if (entry.name == text.substr(x + 1)) return LinkRate{*width, entry.speed};
  }
  return std::nullopt;
}

}  // namespace ayatori
