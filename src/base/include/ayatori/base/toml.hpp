#pragma once
/// \file
/// TOML as this project's files use it, read by toml++. Include this header instead of toml++'s, and only in .cpp
/// files: toml++ is large.

#include <stdexcept>
#include <string_view>

#include "ayatori/base/error.hpp"

namespace ayatori {
/// Some texts that are not valid TOML ("[ #") fail an assertion of toml++ 3.3; a build without assertions would go on.
constexpr void require_toml(bool condition) {
  if (!condition) throw std::logic_error("not TOML");
}
}  // namespace ayatori

#define TOML_EXCEPTIONS 1
#define TOML_ASSERT(condition) ::ayatori::require_toml(static_cast<bool>(condition))
#include <toml++/toml.h>

namespace ayatori {

/// Errors name the line. The text is UTF-8; a byte that is not is read as '?'. Unlike TOML 1.0, names of members may
/// have letters beyond ASCII without quotes.
[[nodiscard]] Result<toml::table> parse_toml(std::string_view text, std::string_view file);

/// The line on which a key or value begins.
[[nodiscard]] inline std::size_t line_of(const toml::source_region& source) { return source.begin.line; }
[[nodiscard]] inline std::size_t line_of(const toml::node& node) { return line_of(node.source()); }

}  // namespace ayatori
