#include "saved_report.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "ayatori/base/terminal_text.hpp"
#include "ayatori/base/text.hpp"

namespace ayatori {

namespace {

constexpr std::array<std::string_view, 4> records = {"Switch", "Ca", "Hca", "Rt"};
constexpr std::array<std::string_view, 8> ids = {"vendid", "devid",   "sysimgguid", "switchguid",
                                                 "caguid", "hcaguid", "hcaguids",   "rtguid"};
constexpr std::array<std::string_view, 10> others = {"Chassis", "Non",    "Hostname", "module", "include",
                                                     "do",      "pdebug", "extspeed", "width",  "speed"};
constexpr std::array<std::string_view, 3> kinds_of_port = {"SW", "CA", "RT"};

bool contains(const auto& words, std::string_view word) { return std::ranges::find(words, word) != words.end(); }

bool begins_one_of(const auto& words, std::string_view beginning) {
  return std::ranges::any_of(words, [&](std::string_view word) { return word.starts_with(beginning); });
}

/// The letters that a line begins with, and what follows the blanks after them.
std::pair<std::string_view, std::string_view> keyword_and_rest(std::string_view line) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto end = static_cast<std::size_t>(std::ranges::find_if_not(line, is_letter) - line.begin());
  return {line.substr(0, end), trimmed(line.substr(end))};
}

bool begins_with_digit(std::string_view text) { return !text.empty() && is_digit(text.front()); }

struct Replacement {
  std::string_view written;
  std::string_view meant;
};

/// What web pages write for the characters of a report.
constexpr std::array replacements = {
    Replacement{"&quot;", "\""}, Replacement{"&#34;", "\""}, Replacement{"&#39;", "'"},
    Replacement{"&lt;", "<"},    Replacement{"&gt;", ">"},   Replacement{"&nbsp;", " "},
    Replacement{"&amp;", "&"},   Replacement{"“", "\""},     Replacement{"”", "\""}};

/// Every record and every cable has an id in quotes. A report with plain ones was not changed.
bool is_of_a_web_page(std::string_view text) {
  constexpr std::array<std::string_view, 6> quoted_ids = {"&quot;S-", "&quot;H-", "&#34;S-", "&#34;H-", "“S-", "“H-"};
  if (text.contains("\"S-") || text.contains("\"H-")) return false;
  return std::ranges::any_of(quoted_ids, [&](std::string_view id) { return text.contains(id); });
}

std::string as_on_the_page(std::string_view text) {
  std::string meant;
  meant.reserve(text.size());
  while (!text.empty()) {
    const auto found =
        std::ranges::find_if(replacements, [&](const Replacement& r) { return text.starts_with(r.written); });
    meant += found == replacements.end() ? text.substr(0, 1) : found->meant;
    text.remove_prefix(found == replacements.end() ? 1 : found->written.size());
  }
  return meant;
}

}  // namespace

std::string_view as_printed(std::string_view text, std::string& storage) {
  const std::string_view shown = as_shown(text, storage);
  if (!is_of_a_web_page(shown)) return shown;
  storage = as_on_the_page(shown);
  return storage;
}

bool may_be_of_report(std::string_view indented) {
  const std::string_view line = trimmed(indented);
  if (line.starts_with('[') && begins_with_digit(line.substr(1))) return true;
  if (line.contains("\"S-") || line.contains("\"H-") || line.contains("\"R-") || line.contains(" lid ")) return true;
  if (line.starts_with('@') || line.contains("guid=") || line.contains("id=0x")) return true;
  const auto [keyword, rest] = keyword_and_rest(line);
  if (keyword.empty()) return false;
  if (rest.empty() && (begins_one_of(records, keyword) || begins_one_of(ids, keyword))) return true;
  if (contains(records, keyword)) return begins_with_digit(rest) || rest.starts_with(':');
  return (contains(ids, keyword) && rest.starts_with('=')) || contains(others, keyword);
}

bool may_be_of_ports_report(std::string_view line) {
  const auto [keyword, rest] = keyword_and_rest(trimmed(line));
  if (line.contains(" 0x")) return true;
  return (rest.empty() && !keyword.empty() && begins_one_of(kinds_of_port, keyword)) ||
         (contains(kinds_of_port, keyword) && begins_with_digit(rest));
}

bool is_of_any_report(std::string_view line) {
  const auto [keyword, rest] = keyword_and_rest(trimmed(line));
  if (keyword == "switchguid" || keyword == "caguid") return rest.starts_with("=0x");
  if (contains(records, keyword)) return begins_with_digit(rest) && rest.contains('"');
  return contains(kinds_of_port, keyword) && begins_with_digit(rest) && rest.contains(" 0x");
}

}  // namespace ayatori
