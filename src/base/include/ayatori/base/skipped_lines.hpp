#pragma once
/// \file
/// Lines of a file that a parser skipped, and the warnings that show them.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ayatori {

class SkippedLines {
 public:
  /// `expected` completes the sentence "not …": "a tile".
  explicit SkippedLines(std::string_view expected) : expected_(expected) {}

  /// `line` counts from 1.
  void add(std::size_t line, std::string_view text);

  [[nodiscard]] std::size_t count() const { return count_; }

  /// One warning for each of the first ten lines, 'FILE:LINE: skipped, not a tile: "TEXT"', and one for the number of
  /// the others. Control characters are escaped, and long lines shortened.
  [[nodiscard]] std::vector<std::string> warnings(std::string_view file) const;

 private:
  struct Line {
    std::size_t number;
    std::string text;
  };
  static constexpr std::size_t max_shown = 10;

  std::string_view expected_;
  std::vector<Line> shown_;
  std::size_t count_ = 0;
};

}  // namespace ayatori
