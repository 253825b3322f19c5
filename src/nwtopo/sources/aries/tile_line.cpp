#include "tile_line.hpp"

#include <algorithm>
#include <array>

#include "ayatori/base/text.hpp"

namespace ayatori::aries {

namespace {

/// Takes the letter and the number after it from the front of `rest`. Numbers are at most four digits.
bool take_part(std::string_view& rest, char letter) {
  constexpr std::size_t max_digits = 4;
  if (rest.empty() || rest.front() != letter) return false;
  const std::string_view digits = rest.substr(1);
  const auto count = static_cast<std::size_t>(std::ranges::find_if_not(digits, is_digit) - digits.begin());
  if (count == 0 || count > max_digits) return false;
  rest = digits.substr(count);
  return true;
}

/// "l57": row 0 to 5, column 0 to 7.
std::optional<PortNumber> port_of(std::string_view tile) {
  if (tile.size() != 3 || tile[0] != 'l' || tile[1] < '0' || tile[1] > '5' || tile[2] < '0' || tile[2] > '7') {
    return std::nullopt;
  }
  return static_cast<PortNumber>(8 * (tile[1] - '0') + (tile[2] - '0') + 1);
}

/// "c0-0c0s6a0l10(0:0:6)"
std::optional<Tile> read_tile(std::string_view word) {
  const auto coordinates = word.find('(');
  if (coordinates != std::string_view::npos && !word.ends_with(')')) return std::nullopt;
  const std::string_view name = word.substr(0, coordinates);
  std::string_view rest = name;
  if (!take_part(rest, 'c') || !take_part(rest, '-') || !take_part(rest, 'c') || !take_part(rest, 's')) {
    return std::nullopt;
  }
  const std::string_view blade = name.substr(0, name.size() - rest.size());
  if (!take_part(rest, 'a')) return std::nullopt;
  const std::string_view router = name.substr(0, name.size() - rest.size());
  const auto port = port_of(rest);
  if (!port) return std::nullopt;
  return Tile{router, blade, *port};
}

std::string_view take_word(std::string_view& rest) {
  rest = trimmed(rest);
  const std::string_view word = rest.substr(0, rest.find_first_of(" \t"));
  rest.remove_prefix(word.size());
  return word;
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

}  // namespace

bool begins_with_tile(std::string_view line) { return line.size() >= 2 && line[0] == 'c' && is_digit(line[1]); }

Result<TileLine> read_tile_line(std::string_view line) {
  std::string_view rest = line;
  const std::string_view first = take_word(rest);
  const auto tile = read_tile(first);
  if (!tile) return fail("expected a tile like c0-0c0s6a0l10 instead of '{}'", first);
  const std::string_view kind = take_word(rest);
  const bool is_processor = is_one_of(kind, {"ptile", "host"});
  if (!is_processor && !is_one_of(kind, {"green", "black", "blue"})) {
    return fail("expected green, black, blue or ptile instead of '{}'", kind);
  }
  if (const auto arrow = take_word(rest); arrow != "->") return fail("expected '->' instead of '{}'", arrow);
  const std::string_view target = take_word(rest);
  if (!trimmed(rest).empty()) return fail("expected the end of the line instead of '{}'", trimmed(rest));
  if (target == "unused") return TileLine{*tile, TileLine::Leads::nowhere, {}};
  if (is_processor && target == "processor") return TileLine{*tile, TileLine::Leads::to_processor, {}};
  const auto other = is_processor ? std::nullopt : read_tile(target);
  if (other) return TileLine{*tile, TileLine::Leads::to_tile, *other};
  return fail("expected {} or 'unused' instead of '{}'", is_processor ? "'processor'" : "a tile", target);
}

}  // namespace ayatori::aries
