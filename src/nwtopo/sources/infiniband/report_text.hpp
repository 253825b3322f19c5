#pragma once
/// \file
/// What the text parsers share: error messages, and checks of the file as a whole.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/base/skipped_lines.hpp"
#include "ayatori/base/terminal_text.hpp"
#include "ayatori/network/link_rate.hpp"

namespace ayatori {

/// The first 40 bytes of a text, with control characters replaced, to be quoted in an error message.
[[nodiscard]] std::string excerpt(std::string_view text);

/// "FILE:LINE: expected WHAT, found "…"".
[[nodiscard]] Failure expected(std::string_view file, std::size_t line, std::string_view what, std::string_view found);

/// What gives a file that can be read.
inline constexpr std::string_view how_to_save = "save what ibnetdiscover prints: ibnetdiscover > FILE";

/// What to do about a report that lacks something.
inline constexpr std::string_view how_to_save_all =
    "the report covers only a part of the fabric: save all that ibnetdiscover prints";

/// Refuses an empty file, and bytes that do not occur in text.
[[nodiscard]] Result<> check_is_text(std::string_view text, std::string_view file);

/// Lines of a saved report that are not part of it: messages of the program and shell prompts wherever they stand, and
/// whatever a terminal shows before and after the report.
class ForeignLines {
 public:
  /// `may_be_own` tells lines that may be the report's.
  ForeignLines(std::string_view text, bool (*may_be_own)(std::string_view line)) : report_(text, may_be_own) {}

  /// True if the line, a view of the text, is not part of the report; it is then remembered for the warnings.
  [[nodiscard]] bool skip(std::size_t number, std::string_view line);

  /// What to do about a line that the report can't have.
  [[nodiscard]] std::string hint() const;

  /// The skipped lines, and whether a part of the fabric may be missing.
  [[nodiscard]] std::vector<std::string> warnings(std::string_view file) const;

 private:
  ReportSpan report_;
  SkippedLines skipped_{"a part of the report"};
  bool has_failures_ = false;
};

/// The number of the last line if no newline ends it, else 0.
[[nodiscard]] std::size_t unended_line(std::string_view text, std::size_t last_line);

/// The rate in the two fields of PortInfo: the highest width and the highest speed among their bits (specification 1.2,
/// section 14.2.5.6).
[[nodiscard]] LinkRate rate_of_fields(unsigned width_bits, unsigned speed_bits);

}  // namespace ayatori
