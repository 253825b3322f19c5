#include "xname.hpp"

#include <algorithm>
#include <vector>

#include "ayatori/base/text.hpp"

namespace ayatori {

namespace {

/// "x1000c0r1" as the letters "xcr" and the numbers 1000, 0, 1.
struct Parts {
  std::string letters;
  std::vector<std::uint32_t> numbers;
  std::vector<std::size_t> ends;  ///< of each letter with its number, in the word
};

std::optional<Parts> split_parts(std::string_view word) {
  constexpr std::size_t max_digits = 4;
  Parts parts;
  for (std::size_t at = 0; at < word.size();) {
    const std::size_t digits = at + 1;
    const std::size_t end = std::min(word.find_first_not_of("0123456789", digits), word.size());
    if (end - digits > max_digits) return std::nullopt;
    const auto number = parse_unsigned<std::uint32_t>(word.substr(digits, end - digits));
    if (!number) return std::nullopt;
    parts.letters += word[at];
    parts.numbers.push_back(*number);
    parts.ends.push_back(end);
    at = end;
  }
  return parts;
}

}  // namespace

std::optional<Xname> parse_xname(std::string_view word) {
  const auto parts = split_parts(word);
  if (!parts || parts->numbers.size() < 3) return std::nullopt;
  const auto& [letters, numbers, ends] = *parts;
  Xname name;
  name.chassis = {numbers[0], numbers[1]};
  const bool is_node = letters == "xcsbn" || letters == "xcsbnh";
  const bool is_router = letters == "xcr" || letters == "xcrb" || letters == "xcrjp";
  if (!is_node && !is_router) return std::nullopt;
  name.device = word.substr(0, is_node ? ends[4] : ends[2]);
  if (letters == "xcsbnh") {
    name.kind = Xname::Kind::nic;
    name.nic = static_cast<std::uint16_t>(numbers[5]);
  } else if (letters == "xcrjp") {
    constexpr std::uint32_t ports_of_connector = 3;
    constexpr std::uint32_t max_connectors = 999;
    if (numbers[3] == 0 || numbers[3] > max_connectors || numbers[4] >= ports_of_connector) return std::nullopt;
    name.kind = Xname::Kind::port;
    name.port = static_cast<PortNumber>(ports_of_connector * (numbers[3] - 1) + numbers[4] + 1);
  } else {
    name.kind = is_node ? Xname::Kind::node : Xname::Kind::router;
  }
  return name;
}

}  // namespace ayatori
