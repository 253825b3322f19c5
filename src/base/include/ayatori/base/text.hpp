#pragma once
/// \file
/// Reading text line by line and field by field, without copying it.

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ayatori {

/// Walks over the lines of a text; a last line without newline counts, "\r\n" ends a line too.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : rest_(text) {}

  /// The next line without its end, or nothing after the last one.
  std::optional<std::string_view> next();

  /// Number of the line that next() gave last, from 1.
  [[nodiscard]] std::size_t line() const { return line_; }

 private:
  std::string_view rest_;
  std::size_t line_ = 0;
};

[[nodiscard]] std::string_view trimmed(std::string_view text);

/// The parts between separators, each trimmed; an empty text has no parts.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);

/// A whole field as an unsigned number: nothing but digits, and no overflow.
template <typename Integer>
[[nodiscard]] std::optional<Integer> parse_unsigned(std::string_view text, int base = 10) {
  Integer value{};
  if (text.empty() || text.front() == '-' || text.front() == '+') return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// "0x2c90300", "2c90300" or "0002:c903:00…" as a 64-bit GUID.
[[nodiscard]] std::optional<std::uint64_t> parse_guid(std::string_view text);

/// Orders "n2" before "n10": runs of digits compare as numbers. A total order: equal only if the texts are.
[[nodiscard]] bool natural_less(std::string_view a, std::string_view b);

}  // namespace ayatori
