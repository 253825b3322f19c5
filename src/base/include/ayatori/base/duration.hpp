#pragma once
/// \file
/// Durations as people write them.

#include <cstdint>
#include <optional>
#include <string_view>

namespace ayatori {

/// "0ns", "2.5us", "3ms", "1s" in nanoseconds, rounded. Returns nothing for any other text, for less than 0, and from
/// about a year on.
[[nodiscard]] std::optional<std::int64_t> parse_nanoseconds(std::string_view text);

}  // namespace ayatori
