#pragma once
/// \file
/// A place in a line of text that moves to the right as its parts are recognised. Nothing is copied.

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ayatori {

class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  [[nodiscard]] std::string_view rest() const { return rest_; }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  [[nodiscard]] bool at(char c) const { return !rest_.empty() && rest_.front() == c; }

  Cursor& skip_spaces() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t')) rest_.remove_prefix(1);
    return *this;
  }

  bool accept(char c) {
    if (!at(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool accept(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  /// Reads all digits that follow. Returns nothing if there are none, or if the number does not fit.
  template <typename Integer>
  std::optional<Integer> number(int base = 10) {
    Integer value{};
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value, base);
    if (error != std::errc{}) return std::nullopt;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }

  /// A GUID's hexadecimal digits, with or without "0x".
  std::optional<std::uint64_t> guid() {
    accept("0x");
    return number<std::uint64_t>(16);
  }

  /// The text between the quote here and the next one.
  std::optional<std::string_view> quoted() {
    if (!at('"')) return std::nullopt;
    const auto close = rest_.find('"', 1);
    if (close == std::string_view::npos) return std::nullopt;
    const std::string_view inside = rest_.substr(1, close - 1);
    rest_.remove_prefix(close + 1);
    return inside;
  }

  /// The text between the quote here and the last one of the line: node descriptions may contain quotes.
  std::optional<std::string_view> quoted_to_last() {
    const auto close = rest_.rfind('"');
    if (!at('"') || close == 0) return std::nullopt;
    const std::string_view inside = rest_.substr(1, close - 1);
    rest_.remove_prefix(close + 1);
    return inside;
  }

  /// All characters up to the next blank.
  std::string_view word() {
    std::size_t length = 0;
    while (length < rest_.size() && rest_[length] != ' ' && rest_[length] != '\t') ++length;
    const std::string_view found = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return found;
  }

 private:
  std::string_view rest_;
};

}  // namespace ayatori
