#pragma once
/// \file
/// Reads text line by line and field by field, without copying it.

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ayatori {

/// Gives the lines of a text one by one. Lines end with "\n" or "\r\n"; the last one may lack its end.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : rest_(text) {}

  /// The next line, without its end. Returns nothing after the last line.
  std::optional<std::string_view> next();

  /// The number, from 1, of the line that next() returned last.
  [[nodiscard]] std::size_t line() const { return line_; }

 private:
  std::string_view rest_;
  std::size_t line_ = 0;
};

[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The text without white space at its beginning and end.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// The parts between separators, each of them trimmed. An empty text has no parts.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);

/// A whole field as an unsigned number. Returns nothing unless the field has digits only and the number fits.
template <typename Integer>
[[nodiscard]] std::optional<Integer> parse_unsigned(std::string_view text, int base = 10) {
  Integer value{};
  if (text.empty() || text.front() == '-' || text.front() == '+') return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// "0x2c90300", "2c90300" or "0002:c903:00…" as a 64-bit GUID. Returns nothing for any other text.
[[nodiscard]] std::optional<std::uint64_t> parse_guid(std::string_view text);

/// Orders "n2" before "n10": sequences of digits compare as numbers. This is a total order: two texts are equivalent
/// only if they are equal.
[[nodiscard]] bool natural_less(std::string_view a, std::string_view b);

}  // namespace ayatori
