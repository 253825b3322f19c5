// Grammar: Open MPI's, mpirun(1), "Rankfiles".
//
//   rank 0=node01 slot=1:0-2       slot: socket and cores; a list of cores; nothing of it concerns us
//   rank 1 = me@node02 slot = *    blanks around '=', a user name

#include "rankfile.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "ayatori/base/text.hpp"

namespace ayatori::hostfile {

namespace {

constexpr std::uint32_t max_rank = (std::uint32_t{1} << 24) - 1;

struct RankLine {
  std::uint32_t rank = 0;
  std::string host;
  std::size_t line = 0;
};

/// The line without what follows "#" or "//".
std::string_view without_comment(std::string_view line) {
  return trimmed(line.substr(0, std::min(line.find('#'), line.find("//"))));
}

Result<RankLine> read_rank_line(std::string_view rest) {
  if (const auto word = take_word(rest); word != "rank") {
    return fail("expected 'rank N=HOST slot=…', as in the lines before, instead of {}", quoted(word));
  }
  const std::string_view number = take_word(rest);
  const auto rank = parse_unsigned<std::uint32_t>(number);
  if (!rank || *rank > max_rank) return fail("expected a rank from 0 to {} instead of {}", max_rank, quoted(number));
  if (take_word(rest) != "=") return fail("expected '=' after rank {}", *rank);
  const std::string_view word = take_word(rest);
  const std::string_view host = word.substr(word.find('@') == std::string_view::npos ? 0 : word.find('@') + 1);
  if (host.starts_with('+')) {
    return with_hint(fail("{} counts hosts from the first of an allocation that is not known here", quoted(host)),
                     "rank N=HOST with the name of the host");
  }
  const auto expanded = expand_hostlist(host);
  if (!expanded) return fail("{} of rank {}", expanded.error().message, *rank);
  if (expanded->size() != 1) return fail("expected one host of rank {} instead of {}", *rank, quoted(host));
  const std::string_view key = take_word(rest);
  if (!key.empty() && key != "slot" && key != "slots") {
    return fail("expected slot=… after the host of rank {} instead of {}", *rank, quoted(key));
  }
  return RankLine{*rank, expanded->front(), 0};
}

}  // namespace

bool is_rankfile(std::string_view text) {
  LineReader lines(text);
  while (const auto line = lines.next()) {
    std::string_view rest = without_comment(*line);
    if (rest.empty()) continue;
    if (take_word(rest) != "rank" || !parse_unsigned<std::uint64_t>(take_word(rest))) return false;
    return take_word(rest) == "=";
  }
  return false;
}

Result<std::vector<HostEntry>> parse_rankfile(std::string_view text, std::string_view file) {
  std::vector<RankLine> ranks;
  LineReader lines(text);
  while (const auto line = lines.next()) {
    const std::string_view content = without_comment(*line);
    if (content.empty()) continue;
    auto read = read_rank_line(content);
    if (!read) return with_hint(fail_at(file, lines.line(), read.error().message), read.error().hint);
    read->line = lines.line();
    ranks.push_back(std::move(*read));
  }
  std::ranges::stable_sort(ranks, {}, &RankLine::rank);
  std::vector<HostEntry> entries;
  for (RankLine& next : ranks) {
    if (next.rank < entries.size()) {
      return fail_at(file, next.line,
                     fmt::format("rank {} is listed twice, first in line {}", next.rank, entries.back().line));
    }
    if (next.rank > entries.size()) {
      return fail_at(
          file, 0, fmt::format("rank {} is not listed, but rank {} in line {}", entries.size(), next.rank, next.line));
    }
    entries.push_back({std::move(next.host), 1, next.line});
  }
  return entries;
}

std::string quoted(std::string_view text) {
  constexpr std::size_t longest_quote = 40;
  std::string safe = "'";
  for (const char c : text.substr(0, longest_quote)) safe.push_back(c >= ' ' && c <= '~' ? c : '?');
  return safe + (text.size() > longest_quote ? "…'" : "'");
}

std::string_view take_word(std::string_view& rest) {
  rest = trimmed(rest);
  const std::size_t end = rest.starts_with('=') ? 1 : std::min(rest.find_first_of("= \t"), rest.size());
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(end);
  return word;
}

}  // namespace ayatori::hostfile
