#pragma once
/// \file
/// Text of unknown origin for terminals and logs.

#include <string>
#include <string_view>

namespace ayatori {

/// The text with its control characters escaped ("\x1b", "\n"), so that a message that quotes a file cannot move the
/// cursor, change colours or begin a new line. Includes the control characters U+0080 to U+009F of UTF-8.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace ayatori
