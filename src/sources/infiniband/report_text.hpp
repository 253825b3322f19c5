#pragma once
/// \file
/// What the text parsers share: error messages, and checks of the file as a whole.

#include <cstddef>
#include <string>
#include <string_view>

#include "ayatori/base/error.hpp"
#include "ayatori/network/link_rate.hpp"

namespace ayatori {

/// The first 40 bytes of a text, with control characters replaced, to be quoted in an error message.
[[nodiscard]] std::string excerpt(std::string_view text);

/// "FILE:LINE: expected WHAT, found "…"".
[[nodiscard]] Failure expected(std::string_view file, std::size_t line, std::string_view what, std::string_view found);

/// Refuses an empty file, and bytes that do not occur in text.
[[nodiscard]] Result<> check_is_text(std::string_view text, std::string_view file);

/// The number of the last line if no newline ends it, else 0.
[[nodiscard]] std::size_t unended_line(std::string_view text, std::size_t last_line);

/// The rate in the two fields of PortInfo: the highest width and the highest speed among their bits (specification 1.2,
/// section 14.2.5.6).
[[nodiscard]] LinkRate rate_of_fields(unsigned width_bits, unsigned speed_bits);

}  // namespace ayatori
