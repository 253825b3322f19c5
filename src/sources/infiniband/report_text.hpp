#pragma once
/// \file
/// What the text parsers share: where they stand in a file, and how they say what they expected there.

#include <cstddef>
#include <string>
#include <string_view>

#include "ayatori/base/error.hpp"
#include "ayatori/network/link_rate.hpp"

namespace ayatori {

/// The beginning of a text of unknown origin, fit for one line of an error message.
[[nodiscard]] std::string excerpt(std::string_view text);

/// "FILE:LINE: expected WHAT, found "…"".
[[nodiscard]] Failure expected(std::string_view file, std::size_t line, std::string_view what, std::string_view found);

/// Refuses what is no text at all: an empty file, or bytes that no text holds.
[[nodiscard]] Result<> check_is_text(std::string_view text, std::string_view file);

/// The number of the last line if no newline ends it, else 0.
[[nodiscard]] std::size_t unended_line(std::string_view text, std::size_t last_line);

/// A rate as its two fields: the highest width and speed among their bits (specification 1.2, section 14.2.5.6).
[[nodiscard]] LinkRate rate_of_fields(unsigned width_bits, unsigned speed_bits);

}  // namespace ayatori
