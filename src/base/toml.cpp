#include "ayatori/base/toml.hpp"

#include <algorithm>
#include <string>

namespace ayatori {

namespace {

/// toml++ 3.3 has undefined behaviour at some characters beyond ASCII (its issues 190 and 295).
std::string ascii_of(std::string_view text) {
  std::string ascii(text);
  std::ranges::replace_if(ascii, [](char byte) { return static_cast<unsigned char>(byte) > 127; }, '?');
  return ascii;
}

}  // namespace

Result<toml::table> parse_toml(std::string_view text, std::string_view file) {
  try {
    return toml::parse(ascii_of(text), file);
  } catch (const toml::parse_error& error) {
    return fail_at(file, line_of(error.source()), std::string(error.description()));
  } catch (const std::logic_error& error) {
    return fail_at(file, 0, error.what());
  }
}

}  // namespace ayatori
