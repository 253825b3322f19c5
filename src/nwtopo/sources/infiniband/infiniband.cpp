#include "ayatori/infiniband/infiniband.hpp"

#include <string>

#include "ayatori/base/text.hpp"
#include "ayatori/base/tool_messages.hpp"
#include "saved_report.hpp"

namespace ayatori {

namespace {

/// Recognises the output of -p: every line begins with the kind of a node, in two letters. With -s, as netloc saves it,
/// the progress comes first, and its lines look like those of a report.
bool is_ports_report(std::string_view text) {
  LineReader lines(text);
  while (const auto line = lines.next()) {
    const std::string_view content = trimmed(*line);
    if (content.starts_with("SW ") || content.starts_with("CA ") || content.starts_with("RT ")) return true;
    if (content.starts_with('#') || classify_tool_message(*line) != ToolMessage::none) continue;
    if (may_be_of_report(*line)) return false;
  }
  return false;
}

}  // namespace

Result<Network> open_infiniband(std::string_view rest, std::string_view host_pattern) {
  if (rest.empty()) return with_hint(fail("ib: no file is given"), "ib:FILE (output of ibnetdiscover), or ib:live");
  if (rest == "live") return discover_infiniband(host_pattern);
  const auto text = read_file(rest);
  if (!text) return Failure(text.error());
  std::string storage;
  const std::string_view printed = as_printed(*text, storage);
  if (is_ports_report(printed)) return parse_ports_report(printed, rest, host_pattern);
  return parse_ibnetdiscover(printed, rest, host_pattern);
}

bool is_infiniband_report(std::string_view text) {
  std::string storage;
  LineReader lines(as_printed(text, storage));
  while (const auto line = lines.next()) {
    if (is_of_any_report(*line)) return true;
  }
  return false;
}

}  // namespace ayatori
