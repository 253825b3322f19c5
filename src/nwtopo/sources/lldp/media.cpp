#include "media.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <set>

#include "ayatori/base/text.hpp"

namespace ayatori {

namespace {

constexpr std::uint64_t max_ports = std::numeric_limits<PortNumber>::max();
constexpr std::uint64_t highest_printed = 4096;

/// Takes a run of digits, or of anything else, from the front.
std::string_view take_run(std::string_view& text) {
  const bool digits = is_digit(text.front());
  const auto end = std::ranges::find_if(text, [&](char c) { return is_digit(c) != digits; });
  const std::string_view run = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(run.size());
  return run;
}

std::vector<std::string_view> runs(std::string_view text) {
  std::vector<std::string_view> found;
  while (!text.empty()) found.push_back(take_run(text));
  return found;
}

bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

/// Which run of the names is the port's number: the one in which they differ, or the last number of a single name.
/// Nothing where they differ in more, or elsewhere.
std::optional<std::size_t> number_run(const std::vector<std::vector<std::string_view>>& names) {
  std::set<std::size_t> differing;
  std::optional<std::size_t> last_number;
  const auto& one = names.front();
  for (std::size_t run = 0; run < one.size(); ++run) {
    if (is_digit(one[run].front())) last_number = run;
    for (const auto& other : names) {
      if (other.size() != one.size()) return std::nullopt;
      if (other[run] != one[run]) differing.insert(run);
    }
  }
  if (differing.empty()) return last_number;
  const bool all_numbers =
      std::ranges::all_of(names, [&](const auto& name) { return is_digit(name[*differing.begin()].front()); });
  return differing.size() == 1 && all_numbers ? std::optional(*differing.begin()) : std::nullopt;
}

/// Nothing where the names do not tell distinct numbers in range.
std::optional<std::map<std::string, PortNumber>> numbers_in(const std::vector<std::string>& names) {
  std::vector<std::vector<std::string_view>> split_names;
  for (const std::string& name : names) split_names.push_back(runs(name));
  const auto run = number_run(split_names);
  if (!run) return std::nullopt;
  std::vector<std::uint64_t> found;
  for (const auto& name : split_names) {
    const auto number = parse_unsigned<std::uint64_t>(name[*run]);
    if (!number || *number > highest_printed) return std::nullopt;
    found.push_back(*number);
  }
  if (std::set(found.begin(), found.end()).size() != found.size()) return std::nullopt;
  const std::uint64_t shift = std::ranges::find(found, 0U) != found.end() ? 1 : 0;
  std::map<std::string, PortNumber> numbers;
  for (std::size_t i = 0; i < names.size(); ++i) numbers[names[i]] = static_cast<PortNumber>(found[i] + shift);
  return numbers;
}

}  // namespace

LinkRate rate_of_medium(std::string_view medium) {
  const auto take_number = [&]() -> std::optional<std::uint32_t> {
    if (medium.empty() || !is_digit(medium.front())) return std::nullopt;
    return parse_unsigned<std::uint32_t>(take_run(medium));
  };
  constexpr std::uint32_t most = 4'000'000;
  const auto whole = take_number();
  if (!whole || *whole > most) return {};
  std::uint32_t tenths = 0;
  if (medium.size() > 1 && medium[0] == 'p' && is_digit(medium[1])) {
    medium.remove_prefix(1);
    tenths = take_number().value_or(most);
    if (tenths > 9) return {};
  }
  const bool giga = take(medium, "Gig") || take(medium, "G");
  if (!take(medium, "base") && !take(medium, "Base")) return {};
  LinkRate rate;
  if (giga && *whole > most / 1000) return {};
  rate.megabits = giga ? *whole * 1000 + tenths * 100 : *whole;
  return rate;
}

Result<std::map<std::string, PortNumber>> number_ports(std::vector<std::string> names) {
  if (names.size() > max_ports) return fail("{} ports; the maximum is {}", names.size(), max_ports);
  if (names.empty()) return std::map<std::string, PortNumber>();
  if (auto found = numbers_in(names)) return std::move(*found);
  std::ranges::sort(names, natural_less);
  std::map<std::string, PortNumber> numbers;
  for (const std::string& name : names) numbers[name] = static_cast<PortNumber>(numbers.size() + 1);
  return numbers;
}

}  // namespace ayatori
