#include "ayatori/base/duration.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace ayatori {

std::optional<std::int64_t> parse_nanoseconds(std::string_view text) {
  using namespace std::string_view_literals;
  constexpr std::array units{std::pair{"ns"sv, 1.0}, std::pair{"us"sv, 1e3}, std::pair{"ms"sv, 1e6},
                             std::pair{"s"sv, 1e9}};
  constexpr double year = 3.2e16;  // times must add up to what 64 bits hold
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc{}) return std::nullopt;
  const std::string_view written(end, text.data() + text.size());
  for (const auto& [unit, nanoseconds] : units) {
    if (written != unit) continue;
    value *= nanoseconds;
    if (!(value >= 0 && value < year)) return std::nullopt;
    return std::llround(value);
  }
  return std::nullopt;
}

}  // namespace ayatori
