#include "report_text.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "ayatori/base/text.hpp"
#include "ayatori/base/tool_messages.hpp"

namespace ayatori {

std::string excerpt(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string shown(text.substr(0, longest));
  for (char& c : shown) {
    if (c < ' ' || c > '~') c = c == '\t' ? ' ' : '?';
  }
  if (text.size() > longest) shown += "…";
  return shown;
}

Failure expected(std::string_view file, std::size_t line, std::string_view what, std::string_view found) {
  return fail_at(file, line,
                 found.empty() ? fmt::format("expected {}, found the end of the line", what)
                               : fmt::format("expected {}, found \"{}\"", what, excerpt(found)));
}

namespace {

/// ibnetdiscover prints blanks for such bytes of a node description.
bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < ' ' && c != '\t' && c != '\n' && c != '\r') || byte == 0x7f;
}

bool has_control(std::string_view text) {
  bool found = false;  // no early exit: this way the loop runs over many bytes at once
  for (const char c : text) found |= is_control(c);
  return found;
}

}  // namespace

Result<> check_is_text(std::string_view text, std::string_view file) {
  if (text.empty()) {
    return with_hint(fail_at(file, 0, "expected ibnetdiscover's output, found an empty file"),
                     std::string(how_to_save));
  }
  if (!has_control(text)) return {};
  const auto control = std::ranges::find_if(text, is_control);
  const auto line = std::ranges::count(text.begin(), control, '\n') + 1;
  return fail_at(file, static_cast<std::size_t>(line),
                 fmt::format("expected text, found the byte {:#04x}: this is a binary file",
                             static_cast<unsigned char>(*control)));
}

bool ForeignLines::skip(std::size_t number, std::string_view line) {
  const ToolMessage message = classify_tool_message(line);
  const bool is_outside = report_.is_outside(line) && !trimmed(line).empty();
  if (message == ToolMessage::none && !is_outside) return false;
  has_failures_ |= message == ToolMessage::failure;
  skipped_.add(number, line);
  return true;
}

std::string ForeignLines::hint() const {
  return report_.empty() ? std::string(how_to_save) : "take the line out if the terminal printed it, not ibnetdiscover";
}

std::vector<std::string> ForeignLines::warnings(std::string_view file) const {
  std::vector<std::string> found = skipped_.warnings(file);
  if (has_failures_) {
    found.push_back(
        fmt::format("{}: devices did not answer when this report was made: a part of the fabric may be missing", file));
  }
  return found;
}

std::size_t unended_line(std::string_view text, std::size_t last_line) { return text.ends_with('\n') ? 0 : last_line; }

LinkRate rate_of_fields(unsigned width_bits, unsigned speed_bits) {
  LinkRate rate;
  if (width_bits & 1) rate.width = 1;
  if (width_bits & 16) rate.width = 2;
  if (width_bits & 2) rate.width = 4;
  if (width_bits & 4) rate.width = 8;
  if (width_bits & 8) rate.width = 12;
  if (speed_bits & 1) rate.speed = LaneSpeed::sdr;
  if (speed_bits & 2) rate.speed = LaneSpeed::ddr;
  if (speed_bits & 4) rate.speed = LaneSpeed::qdr;
  return rate.known() ? rate : LinkRate{};
}

}  // namespace ayatori
