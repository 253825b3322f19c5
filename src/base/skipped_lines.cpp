#include "ayatori/base/skipped_lines.hpp"

#include <fmt/core.h>

#include "ayatori/base/printable.hpp"

namespace ayatori {

void SkippedLines::add(std::size_t line, std::string_view text) {
  constexpr std::size_t max_length = 160;
  ++count_;
  if (shown_.size() == max_shown) return;
  shown_.push_back({line, printable(text.substr(0, max_length)) + (text.size() > max_length ? "…" : "")});
}

std::vector<std::string> SkippedLines::warnings(std::string_view file) const {
  std::vector<std::string> found;
  for (const Line& line : shown_) {
    found.push_back(fmt::format("{}:{}: skipped, not {}: \"{}\"", file, line.number, expected_, line.text));
  }
  if (count_ > shown_.size())
    found.push_back(fmt::format("{}: skipped {} more such lines", file, count_ - shown_.size()));
  return found;
}

}  // namespace ayatori
