#include "printed.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "ayatori/base/skipped_lines.hpp"
#include "ayatori/base/terminal_text.hpp"
#include "ayatori/base/text.hpp"
#include "ayatori/base/tool_messages.hpp"

namespace ayatori::slurm {

namespace {

template <std::size_t count>
bool begins_with_any(std::string_view line, const std::array<std::string_view, count>& keys) {
  return std::ranges::any_of(keys, [&](std::string_view key) { return line.starts_with(key); });
}

bool begins_record(std::string_view line) {
  constexpr std::array<std::string_view, 3> keys = {"SwitchName=", "BlockName=", "AggregatedBlock="};
  return begins_with_any(line, keys);
}

bool begins_pair(std::string_view line) {
  constexpr std::array<std::string_view, 6> keys = {
      "Level=", "LinkSpeed=", "Nodes=", "Switches=", "BlockIndex=", "BlockSize="};
  return begins_with_any(line, keys);
}

/// Joins and skips lines, one by one.
class TerminalReader {
 public:
  explicit TerminalReader(std::string_view shown) : lines_(shown), list_(shown, begins_record) {
    LineReader lines(shown);
    while (const auto line = lines.next()) {
      if (!list_.is_outside(*line)) width_ = std::max(width_, line->size());
    }
    is_wrapped_ = count_wrapped(shown) >= 2;
  }

  PrintedTopology read(std::string_view file) {
    while (const auto line = lines_.next()) {
      if (lines_.line() > 1) text_ += '\n';
      before_ = take(*line) ? *line : "";
    }
    return {std::move(text_), skipped_.warnings(file)};
  }

 private:
  /// False for a line that is skipped.
  bool take(std::string_view line) {
    if (!begins_record(line) && !is_noise(line) && continues_record(line)) {
      // Whoever copies lines loses the blank at the end of one.
      const bool lost_a_blank = before_.size() < width_ || begins_pair(line);
      text_.insert(text_.size() - 1, lost_a_blank ? " \\" : "\\");
    } else if (is_prompt(line) || (list_.is_outside(line) && !is_blank(line) && !may_be_lost(line))) {
      skipped_.add(lines_.line(), line);
      return false;
    }
    text_ += line;
    return true;
  }

  static bool is_blank(std::string_view line) { return trimmed(line).empty(); }
  static bool is_prompt(std::string_view line) { return classify_tool_message(line) != ToolMessage::none; }
  static bool is_noise(std::string_view line) { return is_blank(line) || is_prompt(line); }

  /// How many lines of the list continue a full one. None if a line continues one that is not full: it is a stray one.
  std::size_t count_wrapped(std::string_view shown) {
    std::size_t count = 0;
    LineReader lines(shown);
    while (const auto line = lines.next()) {
      if (!list_.is_outside(*line) && !begins_record(*line) && !is_noise(*line)) {
        if (!follows_full_line()) return 0;
        ++count;
      }
      before_ = *line;
    }
    before_ = {};
    return count;
  }

  [[nodiscard]] bool follows_full_line() const { return !before_.empty() && before_.size() + 1 >= width_; }

  /// A single line that follows a full one may as well be the terminal's.
  [[nodiscard]] bool continues_record(std::string_view line) const {
    return follows_full_line() && (is_wrapped_ || is_open(before_) || begins_pair(line));
  }

  /// A record that can't end so.
  static bool is_open(std::string_view record) {
    constexpr std::string_view unfinished = ",-=[";
    return unfinished.contains(record.back()) || std::ranges::count(record, '[') != std::ranges::count(record, ']');
  }

  /// Then it is an error, not skipped: it may be the end of a name.
  [[nodiscard]] bool may_be_lost(std::string_view line) const {
    return follows_full_line() && line.find_first_of(" \t") == std::string_view::npos;
  }

  LineReader lines_;
  ReportSpan list_;
  std::size_t width_ = 0;    // of the terminal, if it wrapped lines
  std::string_view before_;  // the line before
  bool is_wrapped_ = false;  // beyond doubt
  std::string text_;
  SkippedLines skipped_{"a part of the topology"};
};

}  // namespace

bool is_printed(std::string_view text) { return text.contains(" Level=") || text.contains(" BlockIndex="); }

PrintedTopology read_terminal(std::string_view text, std::string_view file) {
  std::string storage;
  return TerminalReader(as_shown(text, storage)).read(file);
}

}  // namespace ayatori::slurm
