#include "ayatori/base/toml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ayatori/base/text.hpp"

namespace ayatori {

namespace {

bool is_ascii(char byte) { return static_cast<unsigned char>(byte) < 128; }

/// How many bytes the letter at the front takes in UTF-8, as RFC 3629 has it; 0: it is none.
std::size_t letter_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned first = byte(0);
  const std::size_t length = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return 0;
  }
  const bool overlong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
  const bool no_letter = (first == 0xED && byte(1) > 0x9F) || (first == 0xF4 && byte(1) > 0x8F);
  return overlong || no_letter ? 0 : length;
}

/// toml++ 3.3 has undefined behaviour at some characters beyond ASCII (its issues 190 and 295). It is given a mark and
/// the value of each of their bytes instead, and what it has read is turned back.
class Ascii {
 public:
  /// The mark is in the text nowhere: 'z' and more 'u's than follow any 'z' there.
  explicit Ascii(std::string_view text) {
    if (std::ranges::all_of(text, is_ascii)) return;
    mark_ = "zu";
    while (text.find(mark_) != std::string_view::npos) mark_ += 'u';
  }

  [[nodiscard]] bool has_mark() const { return !mark_.empty(); }

  [[nodiscard]] std::string of(std::string_view text) const {
    std::string ascii;
    while (!text.empty()) {
      const std::size_t length = is_ascii(text.front()) ? 1 : letter_length(text);
      if (length == 0) {
        ascii += '?';
      } else if (length == 1) {
        ascii += text.front();
      }
      for (std::size_t i = 0; length > 1 && i < length; ++i) {
        ascii += fmt::format("{}{:02x}", mark_, static_cast<unsigned char>(text[i]));
      }
      text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return ascii;
  }

  [[nodiscard]] std::string text_of(std::string_view ascii) const {
    if (mark_.empty()) return std::string(ascii);
    std::string text;
    for (std::size_t at = ascii.find(mark_); at != std::string_view::npos; at = ascii.find(mark_)) {
      text += ascii.substr(0, at);
      ascii.remove_prefix(at + mark_.size());
      const auto byte = parse_unsigned<std::uint8_t>(ascii.substr(0, 2), 16);
      if (!byte) return text + std::string(ascii);
      text += static_cast<char>(*byte);
      ascii.remove_prefix(2);
    }
    return text + std::string(ascii);
  }

  /// The names and the texts in it. Nodes are moved, not copied: copies forget their lines.
  void turn_back(toml::table& table) const {
    std::vector<std::string> marked;
    for (auto&& [key, value] : table) {
      turn_back(value);
      if (text_of(key.str()) != key.str()) marked.emplace_back(key.str());
    }
    for (const std::string& key : marked) {
      const auto found = table.find(key);
      table.insert(toml::key(text_of(key), found->first.source()), std::move(found->second));
      table.erase(key);
    }
  }

 private:
  void turn_back(toml::node& node) const {
    if (toml::table* const table = node.as_table()) turn_back(*table);
    if (toml::array* const array = node.as_array()) {
      for (toml::node& item : *array) turn_back(item);
    }
    if (toml::value<std::string>* const text = node.as_string()) text->get() = text_of(text->get());
  }

  std::string mark_;  // empty: the text is ASCII
};

}  // namespace

Result<toml::table> parse_toml(std::string_view text, std::string_view file) {
  const Ascii ascii(text);
  try {
    toml::table table = toml::parse(ascii.of(text), file);
    if (ascii.has_mark()) ascii.turn_back(table);
    return table;
  } catch (const toml::parse_error& error) {
    return fail_at(file, line_of(error.source()), ascii.text_of(error.description()));
  } catch (const std::logic_error& error) {
    return fail_at(file, 0, error.what());
  }
}

}  // namespace ayatori
