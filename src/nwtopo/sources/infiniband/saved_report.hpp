#pragma once
/// \file
/// ibnetdiscover's output as people have it: the log of a terminal, or pasted from a web page.

#include <string>
#include <string_view>

namespace ayatori {

/// The report as it was printed: as a terminal shows it, and with the quotes that a web page made something else of.
/// Every line keeps its number. Returns `text` or a view of `storage`.
[[nodiscard]] std::string_view as_printed(std::string_view text, std::string& storage);

/// Whether a line can be one of ibnetdiscover's, whole or cut off, or of an ibsim net file. True in case of doubt: what
/// is not one of theirs may be skipped, and a lost line is a lost cable.
[[nodiscard]] bool may_be_of_report(std::string_view line);

/// The same for the output of -p.
[[nodiscard]] bool may_be_of_ports_report(std::string_view line);

/// Whether a line is certainly one of a report of either form.
[[nodiscard]] bool is_of_any_report(std::string_view line);

}  // namespace ayatori
