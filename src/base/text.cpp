#include "ayatori/base/text.hpp"

#include <cctype>
#include <cstring>

namespace ayatori {

namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v'; }

std::string_view digits_at(std::string_view text, std::size_t from) {
  std::size_t to = from;
  while (to < text.size() && is_digit(text[to])) ++to;
  return text.substr(from, to - from);
}

std::string_view without_leading_zeros(std::string_view digits) {
  const auto first = digits.find_first_not_of('0');
  return first == std::string_view::npos ? std::string_view{} : digits.substr(first);
}

}  // namespace

std::optional<std::string_view> LineReader::next() {
  if (rest_.empty()) return std::nullopt;
  ++line_;
  const void* newline = std::memchr(rest_.data(), '\n', rest_.size());
  const std::size_t length =
      newline ? static_cast<std::size_t>(static_cast<const char*>(newline) - rest_.data()) : rest_.size();
  std::string_view found = rest_.substr(0, length);
  rest_.remove_prefix(newline ? length + 1 : length);
  if (!found.empty() && found.back() == '\r') found.remove_suffix(1);
  return found;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  if (text.empty()) return parts;
  for (std::size_t from = 0;;) {
    const std::size_t to = text.find(separator, from);
    parts.push_back(trimmed(text.substr(from, to - from)));
    if (to == std::string_view::npos) return parts;
    from = to + 1;
  }
}

std::optional<std::uint64_t> parse_guid(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  std::string digits;
  for (const char c : text) {
    if (c != ':') digits.push_back(c);
  }
  return parse_unsigned<std::uint64_t>(digits, 16);
}

bool natural_less(std::string_view a, std::string_view b) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const auto run_a = digits_at(a, i);
      const auto run_b = digits_at(b, j);
      const auto value_a = without_leading_zeros(run_a);
      const auto value_b = without_leading_zeros(run_b);
      if (value_a.size() != value_b.size()) return value_a.size() < value_b.size();
      if (value_a != value_b) return value_a < value_b;
      i += run_a.size();
      j += run_b.size();
    } else {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i;
      ++j;
    }
  }
  if (a.size() - i != b.size() - j) return a.size() - i < b.size() - j;
  return a < b;  // "n02" and "n2" are different names: keep the order total
}

}  // namespace ayatori
