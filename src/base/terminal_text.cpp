#include "ayatori/base/terminal_text.hpp"

#include <algorithm>
#include <functional>

#include "ayatori/base/text.hpp"

namespace ayatori {

namespace {

constexpr char bell = '\a';
constexpr char backspace = '\b';
constexpr char escape = '\x1b';

bool is_between(char c, char first, char last) { return c >= first && c <= last; }

/// Length of "[0;31m", which follows an escape character; 0 if it is something else (ECMA-48, section 5.4).
std::size_t length_of_control_sequence(std::string_view rest) {
  std::size_t end = 1;
  while (end < rest.size() && is_between(rest[end], '\x20', '\x3f')) ++end;
  return rest.starts_with('[') && end < rest.size() && is_between(rest[end], '\x40', '\x7e') ? end + 1 : 0;
}

/// Length of "]0;title" with the bell or "\x1b\" that ends it; 0 if it is something else.
std::size_t length_of_title(std::string_view rest) {
  if (!rest.starts_with(']')) return 0;
  const std::size_t end = rest.find_first_of("\a\x1b");
  if (end == std::string_view::npos) return 0;
  if (rest[end] == bell) return end + 1;
  return rest.substr(end + 1).starts_with('\\') ? end + 2 : 0;
}

/// Of what follows an escape character; 0: nothing that a terminal would obey.
std::size_t length_of_sequence(std::string_view rest) {
  if (rest.empty()) return 0;
  if (const std::size_t length = length_of_control_sequence(rest); length != 0) return length;
  if (const std::size_t length = length_of_title(rest); length != 0) return length;
  constexpr std::string_view with_a_letter = "()*+#";  // character sets
  if (with_a_letter.contains(rest[0])) return rest.size() > 1 ? 2 : 0;
  constexpr std::string_view alone = "=>78cDEHMNOZ";
  return alone.contains(rest[0]) ? 1 : 0;
}

/// A line of a terminal, and the place of its cursor. Bytes count as columns: what is overwritten is ASCII.
class ShownLine {
 public:
  void take(std::string_view line) {
    while (!line.empty()) {
      const std::size_t sequence = line[0] == escape ? length_of_sequence(line.substr(1)) : 0;
      if (sequence != 0) {
        obey(line.substr(1, sequence));
      } else {
        put(line[0]);
      }
      line.remove_prefix(1 + sequence);
    }
  }

  [[nodiscard]] std::string_view text() const { return text_; }

 private:
  void obey(std::string_view sequence) {
    if (sequence == "[K" || sequence == "[0K") text_.resize(std::min(text_.size(), column_));
    if (sequence == "[2K") text_.clear();
  }

  void put(char c) {
    if (c == '\r') column_ = 0;
    if (c == backspace && column_ > 0) --column_;
    if (c == '\r' || c == backspace || c == bell) return;
    if (column_ > text_.size()) text_.resize(column_, ' ');
    text_.replace(column_++, 1, 1, c);
  }

  std::string text_;
  std::size_t column_ = 0;
};

bool has_marks_of_terminals(std::string_view text) {
  if (text.find_first_of("\a\b\x1b") != std::string_view::npos) return true;
  for (std::size_t at = text.find('\r'); at != std::string_view::npos; at = text.find('\r', at + 1)) {
    if (at + 1 < text.size() && text[at + 1] != '\n') return true;
  }
  return false;
}

}  // namespace

std::string_view as_shown(std::string_view text, std::string& storage) {
  if (!has_marks_of_terminals(text)) return text;
  storage.clear();
  storage.reserve(text.size());
  const bool is_ended = text.ends_with('\n');
  LineReader lines(text);
  while (const auto line = lines.next()) {
    if (lines.line() > 1) storage += '\n';
    ShownLine shown;
    shown.take(*line);
    storage += shown.text();
  }
  if (is_ended) storage += '\n';
  return storage;
}

ReportSpan::ReportSpan(std::string_view text, bool (*is_own)(std::string_view line)) {
  LineReader lines(text);
  while (first_ == nullptr) {
    const auto line = lines.next();
    if (!line) return;
    if (is_own(*line)) first_ = line->data();
  }
  last_ = first_;
  for (std::size_t end = text.size(); end > 0;) {
    const std::size_t newline = text.substr(0, end).rfind('\n');
    const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
    const std::string_view line = text.substr(begin, end - begin);
    if (is_own(line.ends_with('\r') ? line.substr(0, line.size() - 1) : line)) {
      last_ = line.data();
      return;
    }
    end = begin == 0 ? 0 : newline;
  }
}

bool ReportSpan::is_outside(std::string_view line) const {
  const std::less<> before;
  return !empty() && (before(line.data(), first_) || before(last_, line.data()));
}

}  // namespace ayatori
