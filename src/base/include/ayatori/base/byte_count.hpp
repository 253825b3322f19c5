#pragma once
/// \file
/// Sizes in words.

#include <optional>
#include <string_view>

#include "ayatori/base/ids.hpp"

namespace ayatori {

/// Sizes as the command line takes them (python/ayatori/base/units.py): "16KiB", "1.5M", "64 kB". A number, and
/// nothing, B, KiB, MiB, GiB, kB, MB, GB, or K, M, G for powers of 1024, in small letters or capitals. Nothing for any
/// other text, a part of a byte, or more than 2^58 bytes.
[[nodiscard]] std::optional<Bytes> parse_byte_count(std::string_view text);

}  // namespace ayatori
