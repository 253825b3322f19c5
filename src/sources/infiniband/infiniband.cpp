#include "ayatori/infiniband/infiniband.hpp"

#include <string>

#include "ayatori/base/text.hpp"
#include "ayatori/base/tool_messages.hpp"
#include "report_text.hpp"

namespace ayatori {

namespace {

/// Recognises the output of -p: every line begins with the kind of a node, in two letters.
bool is_ports_report(std::string_view text) {
  LineReader lines(text);
  while (const auto line = lines.next()) {
    const std::string_view content = trimmed(*line);
    if (content.empty() || content.starts_with('#')) continue;
    if (content.starts_with("SW ") || content.starts_with("CA ") || content.starts_with("RT ")) return true;
    if (classify_tool_message(content) == ToolMessage::none) return false;
  }
  return false;
}

}  // namespace

Result<Network> open_infiniband(std::string_view rest, std::string_view host_pattern) {
  if (rest.empty()) return with_hint(fail("ib: no file is given"), "ib:FILE (output of ibnetdiscover), or ib:live");
  if (rest == "live") return discover_infiniband(host_pattern);
  const auto text = read_file(rest);
  if (!text) return Failure(text.error());
  if (is_ports_report(*text)) return parse_ports_report(*text, rest, host_pattern);
  return parse_ibnetdiscover(*text, rest, host_pattern);
}

}  // namespace ayatori
