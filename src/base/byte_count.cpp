#include "ayatori/base/byte_count.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "ayatori/base/text.hpp"

namespace ayatori {

namespace {

struct Unit {
  std::string_view name;
  Bytes bytes;
};

/// In small letters. As in dd and split: one letter is a power of 1024, and with a B a power of 1000.
constexpr std::array<Unit, 11> byte_units = {{{"", 1},
                                              {"b", 1},
                                              {"kb", 1'000},
                                              {"mb", 1'000'000},
                                              {"gb", 1'000'000'000},
                                              {"k", Bytes{1} << 10},
                                              {"kib", Bytes{1} << 10},
                                              {"m", Bytes{1} << 20},
                                              {"mib", Bytes{1} << 20},
                                              {"g", Bytes{1} << 30},
                                              {"gib", Bytes{1} << 30}}};
constexpr Bytes max_byte_count = Bytes{1} << 58;
constexpr std::size_t max_decimals = 9;

}  // namespace

std::optional<Bytes> parse_byte_count(std::string_view text) {
  text = trimmed(text);
  const auto take_digits = [&text] {
    const std::string_view digits = text.substr(0, text.find_first_not_of("0123456789"));
    text.remove_prefix(digits.size());
    return digits;
  };
  const auto whole = parse_unsigned<Bytes>(take_digits());
  Bytes decimals = 0;
  Bytes scale = 1;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    const std::string_view digits = take_digits();
    if (digits.empty() || digits.size() > max_decimals) return std::nullopt;
    decimals = parse_unsigned<Bytes>(digits).value_or(0);
    for (std::size_t i = 0; i < digits.size(); ++i) scale *= 10;
  }
  std::string word(trimmed(text));
  std::ranges::transform(word, word.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  const auto unit = std::ranges::find(byte_units, word, &Unit::name);
  if (!whole || unit == byte_units.end() || *whole > max_byte_count / unit->bytes) return std::nullopt;
  if (decimals * unit->bytes % scale != 0) return std::nullopt;  // less than 10^9 · 2^30: no overflow
  const Bytes bytes = *whole * unit->bytes + decimals * unit->bytes / scale;
  return bytes <= max_byte_count ? std::optional(bytes) : std::nullopt;
}

}  // namespace ayatori
