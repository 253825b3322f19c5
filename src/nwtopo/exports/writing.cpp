#include "writing.hpp"

namespace ayatori::exports {

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

/// Bytes of the character that begins the text; 0 if there is none (RFC 3629, section 4: no surrogates, nothing
/// overlong).
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto follows = [&](std::size_t i, unsigned low = 0x80, unsigned high = 0xBF) {
    return byte(i) >= low && byte(i) <= high;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const unsigned low = first == 0xE0 ? 0xA0 : 0x80;
    const unsigned high = first == 0xED ? 0x9F : 0xBF;
    return follows(1, low, high) && follows(2) ? 3 : 0;
  }
  if (first < 0xF0 || first > 0xF4) return 0;
  const unsigned low = first == 0xF0 ? 0x90 : 0x80;
  const unsigned high = first == 0xF4 ? 0x8F : 0xBF;
  return follows(1, low, high) && follows(2) && follows(3) ? 4 : 0;
}

bool is_allowed(std::string_view character) {
  if (character.size() == 1) {
    const char c = character.front();
    return static_cast<unsigned char>(c) >= ' ' ? c != '\x7f' : c == '\t' || c == '\n' || c == '\r';
  }
  return character != "\xEF\xBF\xBE" && character != "\xEF\xBF\xBF";
}

}  // namespace

std::string clean_utf8(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    const std::size_t length = character_length(bytes);
    const std::string_view character = bytes.substr(0, length);
    text += length > 0 && is_allowed(character) ? character : replacement;
    bytes.remove_prefix(length > 0 ? length : 1);
  }
  return text;
}

std::string xml_text(std::string_view bytes) {
  std::string text;
  for (const char c : clean_utf8(bytes)) {
    switch (c) {
      case '&':
        text += "&amp;";
        break;
      case '<':
        text += "&lt;";
        break;
      case '>':
        text += "&gt;";
        break;
      case '"':
        text += "&quot;";
        break;
      case '\t':
      case '\n':
      case '\r':  // as themselves they would become blanks in an attribute
        text += fmt::format("&#{};", static_cast<int>(c));
        break;
      default:
        text += c;
    }
  }
  return text;
}

std::string dot_text(std::string_view bytes) {
  std::string text = "\"";
  for (const char c : clean_utf8(bytes)) {
    if (c == '"' || c == '\\') text += '\\';
    if (c == '\n') {
      text += "\\n";
    } else {
      text += c == '\r' || c == '\t' ? ' ' : c;
    }
  }
  return text + '"';
}

}  // namespace ayatori::exports
