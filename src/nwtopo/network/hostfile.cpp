#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "ayatori/base/text.hpp"
#include "ayatori/network/job.hpp"
#include "rankfile.hpp"

namespace ayatori {

namespace {

// Larger than any machine built. They bound the memory that a few bytes of a hostfile can make us allocate.
constexpr std::size_t max_hosts = std::size_t{1} << 18;
constexpr std::uint32_t max_slots = 65536;
constexpr std::size_t longest_name = 255;

using hostfile::quoted;
using hostfile::take_word;

/// Letters beyond ASCII are parts of names, too: sources have machines that are called so.
bool is_part_of_name(char c, std::string_view allowed) {
  constexpr std::string_view special = "#,[]:=";
  const bool is_beyond_ascii = static_cast<unsigned char>(c) > 0x7F;
  return is_beyond_ascii || allowed.contains(c) || (c > ' ' && c <= '~' && !special.contains(c));
}

std::string_view before(std::string_view text, char mark) { return text.substr(0, text.find(mark)); }

// --- host lists -----------------------------------------------------------------------------------------------------

/// Appends what "01-03" or "7" stands for. The first number's width is kept, as Slurm does.
Result<> expand_range(std::string_view range, std::vector<std::string>& numbers) {
  const auto bounds = split(range, '-');
  if (bounds.empty() || bounds.size() > 2) return fail("expected a range like 01-09 instead of {}", quoted(range));
  const auto first = parse_unsigned<std::uint64_t>(bounds.front());
  const auto last = parse_unsigned<std::uint64_t>(bounds.back());
  if (!first || !last) return fail("expected a range like 01-09 instead of {}", quoted(range));
  if (*last < *first) return fail("the range {} ends before it begins", quoted(range));
  if (*last - *first >= max_hosts) return fail("the range {} is longer than {} hosts", quoted(range), max_hosts);
  for (std::uint64_t i = 0; i <= *last - *first; ++i) {
    numbers.push_back(fmt::format("{:0>{}}", *first + i, std::min(bounds.front().size(), longest_name)));
  }
  if (numbers.size() > max_hosts) return fail("more than {} hosts", max_hosts);
  return {};
}

Result<std::vector<std::string>> expand_bracket(std::string_view ranges) {
  std::vector<std::string> numbers;
  if (trimmed(ranges).empty()) return fail("nothing between '[' and ']'");
  for (const std::string_view range : split(ranges, ',')) {
    if (auto expanded = expand_range(range, numbers); !expanded) return Failure(expanded.error());
  }
  return numbers;
}

/// All combinations of a name and an ending; the ending changes fastest.
Result<std::vector<std::string>> product(const std::vector<std::string>& names, std::span<const std::string> endings) {
  if (names.size() * endings.size() > max_hosts) return fail("more than {} hosts", max_hosts);
  std::vector<std::string> longer;
  longer.reserve(names.size() * endings.size());
  for (const std::string& name : names) {
    for (const std::string& ending : endings) {
      if (name.size() + ending.size() > longest_name) {
        return fail("the host name {} is longer than {} letters", quoted(name + ending), longest_name);
      }
      longer.push_back(name + ending);
    }
  }
  return longer;
}

/// Takes the leading "[…]" or the text up to the next bracket off `rest`, as a list of alternatives.
Result<std::vector<std::string>> take_piece(std::string_view& rest, std::string_view allowed) {
  if (rest.front() != '[') {
    const std::string_view literal = before(rest, '[');
    if (!std::ranges::all_of(literal, [&](char c) { return is_part_of_name(c, allowed); }))
      return fail("{} is not a host name", quoted(literal));
    rest.remove_prefix(literal.size());
    return std::vector<std::string>{std::string(literal)};
  }
  const std::size_t close = rest.find(']');
  if (close == std::string_view::npos) return fail("']' is missing in {}", quoted(rest));
  const std::string_view ranges = rest.substr(1, close - 1);
  rest.remove_prefix(close + 1);
  return expand_bracket(ranges);
}

Result<std::vector<std::string>> expand_name(std::string_view name, std::string_view allowed) {
  if (name.empty()) return fail("expected a host name");
  std::vector<std::string> names = {""};
  while (!name.empty()) {
    const auto piece = take_piece(name, allowed);
    if (!piece) return Failure(piece.error());
    auto longer = product(names, *piece);
    if (!longer) return Failure(longer.error());
    names = std::move(*longer);
  }
  return names;
}

/// The parts between commas; commas inside brackets do not separate.
std::vector<std::string_view> split_outside_brackets(std::string_view text) {
  std::vector<std::string_view> parts;
  bool inside = false;
  std::size_t from = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[') inside = true;
    if (text[i] == ']') inside = false;
    if (text[i] != ',' || inside) continue;
    parts.push_back(trimmed(text.substr(from, i - from)));
    from = i + 1;
  }
  parts.push_back(trimmed(text.substr(from)));
  return parts;
}

// --- hostfiles ------------------------------------------------------------------------------------------------------

Result<std::uint32_t> parse_slots(std::string_view text) {
  const auto slots = parse_unsigned<std::uint32_t>(text);
  if (slots && *slots >= 1 && *slots <= max_slots) return *slots;
  return fail("expected a number of slots from 1 to {} instead of {}", max_slots, quoted(text));
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
    words.push_back(text.substr(0, text.find_first_of(" \t")));
    text.remove_prefix(words.back().size());
  }
  return words;
}

enum class Attribute { slots, limit, ignored, unknown };

Attribute attribute_named(std::string_view key) {
  constexpr std::array<std::string_view, 4> slots = {"slots", "count", "cpu", "cpus"};
  constexpr std::array<std::string_view, 4> limits = {"max-slots", "max_slots", "slots-max", "slots_max"};
  constexpr std::array<std::string_view, 6> others = {"user",      "username", "user-name",
                                                      "user_name", "binding",  "ifname"};
  const auto is_in = [&](const auto& names) { return std::find(names.begin(), names.end(), key) != names.end(); };
  if (is_in(slots)) return Attribute::slots;
  if (is_in(limits)) return Attribute::limit;
  return is_in(others) ? Attribute::ignored : Attribute::unknown;
}

/// The slots in "slots=8 max-slots=8", 0 if none are given.
Result<std::uint32_t> parse_attributes(std::string_view rest) {
  std::uint32_t given = 0;
  while (!trimmed(rest).empty()) {
    const std::string_view key = take_word(rest);
    const Attribute attribute = attribute_named(key);
    if (attribute == Attribute::unknown) {
      return with_hint(fail("expected slots=N or max-slots=N instead of {}", quoted(key)),
                       "one host a line, and slots=N after it for N ranks");
    }
    if (take_word(rest) != "=") return fail("expected '=' after {}", quoted(key));
    const std::string_view value = take_word(rest);
    if (attribute == Attribute::ignored) continue;
    const auto slots = parse_slots(value);
    if (!slots) return Failure(slots.error());
    if (attribute == Attribute::limit) continue;
    if (given != 0) return fail("the slots are given twice");
    given = *slots;
  }
  return given;
}

class HostfileReader {
 public:
  [[nodiscard]] Result<> read_line(std::string_view text, std::size_t line);
  [[nodiscard]] std::vector<HostEntry> take() { return std::move(entries_); }
  [[nodiscard]] bool empty() const { return entries_.empty(); }

 private:
  [[nodiscard]] Result<> read_list(std::string_view list, std::uint32_t slots, std::size_t line);
  [[nodiscard]] Result<> read_hosts(std::string_view part, std::uint32_t slots, std::size_t line);
  [[nodiscard]] Result<> read_counts(std::string_view text, std::size_t line);

  std::vector<HostEntry> entries_;
};

Result<> HostfileReader::read_line(std::string_view text, std::size_t line) {
  text = trimmed(before(text, '#'));
  if (text.empty()) return {};
  const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
  const std::string_view rest = trimmed(text.substr(end));
  if (!rest.empty() && is_digit(rest.front())) return read_counts(text, line);
  const auto slots = parse_attributes(rest);
  if (!slots) return Failure(slots.error());
  return read_list(text.substr(0, end), *slots, line);
}

/// What batch systems write: "a 4 b 2" (LSF), "a 4 all.q@a UNDEFINED" (Grid Engine).
Result<> HostfileReader::read_counts(std::string_view text, std::size_t line) {
  const auto words = words_of(text);
  const bool is_grid_engine = words.size() == 4 && words[2].contains('@');
  for (std::size_t i = 0; i < (is_grid_engine ? 2 : words.size()); i += 2) {
    if (i + 1 == words.size()) return fail("expected a number of slots after {}", quoted(words[i]));
    const auto slots = parse_slots(words[i + 1]);
    if (!slots) return Failure(slots.error());
    if (auto read = read_list(words[i], *slots, line); !read) return read;
  }
  return {};
}

Result<> HostfileReader::read_list(std::string_view list, std::uint32_t slots, std::size_t line) {
  for (const std::string_view part : split_outside_brackets(list)) {
    if (auto read = read_hosts(part, slots, line); !read) return read;
  }
  return {};
}

/// Reads one item such as "node[01-04]:8".
Result<> HostfileReader::read_hosts(std::string_view part, std::uint32_t slots, std::size_t line) {
  if (part.contains('*')) {
    return with_hint(fail("{} is how PBS and LSF shorten a list of hosts", quoted(part)),
                     "a line a rank, as $PBS_NODEFILE and $LSB_DJOB_HOSTFILE have it, or a line a host with slots=N");
  }
  const std::string_view name = before(part, ':');
  if (name.size() < part.size()) {
    if (slots != 0) return fail("the slots are given twice");
    const auto given = parse_slots(part.substr(name.size() + 1));
    if (!given) return Failure(given.error());
    slots = *given;
  }
  auto hosts = expand_name(name, "");
  if (!hosts) return Failure(hosts.error());
  for (std::string& host : *hosts) entries_.push_back({std::move(host), slots, line});
  if (entries_.size() > max_hosts) return fail("more than {} hosts", max_hosts);
  return {};
}

}  // namespace

Result<std::vector<std::string>> expand_hostlist(std::string_view text, std::string_view allowed) {
  std::vector<std::string> hosts;
  for (const std::string_view name : split_outside_brackets(text)) {
    auto expanded = expand_name(name, allowed);
    if (!expanded) return Failure(expanded.error());
    if (hosts.size() + expanded->size() > max_hosts) return fail("more than {} hosts", max_hosts);
    std::move(expanded->begin(), expanded->end(), std::back_inserter(hosts));
  }
  return hosts;
}

Result<std::vector<HostEntry>> parse_hostfile(std::string_view text, std::string_view file) {
  if (hostfile::is_rankfile(text)) return hostfile::parse_rankfile(text, file);
  HostfileReader reader;
  LineReader lines(text);
  while (const auto line = lines.next()) {
    if (auto read = reader.read_line(*line, lines.line()); !read) {
      return with_hint(fail_at(file, lines.line(), read.error().message), read.error().hint);
    }
  }
  if (reader.empty())
    return fail_at(file, 0, text.empty() ? "the file is empty" : "expected a host, found only comments");
  return reader.take();
}

}  // namespace ayatori
