#pragma once
/// \file
/// Output of programs as people save it: the log of a terminal, with whatever else stood there.

#include <string>
#include <string_view>

namespace ayatori {

/// The text as a terminal shows it, without escape sequences and bells. Text after a carriage return or backspaces
/// overwrites what stood there. Every line keeps its number. All other control characters stay. Returns `text` itself
/// where that changes nothing, else a view of `storage`, which this function fills.
[[nodiscard]] std::string_view as_shown(std::string_view text, std::string& storage);

/// The part of a saved text that begins with the first line of a report and ends with its last one. What stands before
/// and after it is the terminal's: banners, prompts, other commands.
class ReportSpan {
 public:
  /// `is_own` returns true for lines that only the report can have. Keeps views of `text`.
  ReportSpan(std::string_view text, bool (*is_own)(std::string_view line));

  /// Whether any line is the report's own.
  [[nodiscard]] bool empty() const { return first_ == nullptr; }

  /// Whether a line, a view of the text, stands before or after the report. False for all lines if there is no report.
  [[nodiscard]] bool is_outside(std::string_view line) const;

 private:
  const char* first_ = nullptr;  // where the first line begins
  const char* last_ = nullptr;   // where the last line begins
};

}  // namespace ayatori
