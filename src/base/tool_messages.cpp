#include "ayatori/base/tool_messages.hpp"

#include <algorithm>
#include <array>

#include "ayatori/base/text.hpp"

namespace ayatori {

namespace {

/// "src/query_smp.c:195; umad (DR path slid 0; dlid 0; 0,1 Attr 0x11:0) bad status 110; Connection timed out"
bool has_source_position(std::string_view line) {
  const auto extension = line.find(".c:");
  if (extension == std::string_view::npos || extension == 0) return false;
  if (line.substr(0, extension).find_first_of(" \t\"[") != std::string_view::npos) return false;
  const std::string_view rest = line.substr(extension + 3);
  const auto end = std::ranges::find_if_not(rest, is_digit);
  return end != rest.begin() && end != rest.end() && *end == ';';
}

/// "ibwarn: [1234] …", "ibroute: iberror: failed: …", "ibpanic: …"
bool is_error_of_libibmad(std::string_view line) {
  const std::string_view after_program = line.substr(0, line.find_first_of(" \t\"")).ends_with(':')
                                             ? trimmed(line.substr(line.find(':') + 1))
                                             : std::string_view{};
  constexpr std::array<std::string_view, 3> words = {"ibwarn:", "iberror:", "ibpanic:"};
  return std::ranges::any_of(
      words, [&](std::string_view word) { return line.starts_with(word) || after_program.starts_with(word); });
}

/// Output of `ibnetdiscover -s`: "DR path slid 0; dlid 0; 0,1 -> new remote switch {0002c902004052f8} …"
bool is_discovery_progress(std::string_view line) { return line.starts_with("DR path ") && line.contains(" -> "); }

/// "[root@host ~]# ibnetdiscover", "user@host:~$", "sh-5.1$ ls", "$ ibnetdiscover"
bool is_shell_prompt(std::string_view line) {
  const auto mark = line.find_first_of("#$%\"");
  if (mark == std::string_view::npos || line[mark] == '"') return false;
  const bool ends_prompt = mark + 1 == line.size() || line[mark + 1] == ' ';
  if (mark == 0) return ends_prompt && line[mark] != '#';  // '#' begins a comment
  const std::string_view before = line.substr(0, mark);
  const bool names_host = before.contains('@') || before.starts_with("sh-") || before.starts_with("bash-") ||
                          before.contains(":~ ") || before.contains(":/");
  return ends_prompt && names_host;
}

}  // namespace

ToolMessage classify_tool_message(std::string_view line) {
  if (has_source_position(line) || is_error_of_libibmad(line)) return ToolMessage::failure;
  if (is_discovery_progress(line) || is_shell_prompt(line)) return ToolMessage::harmless;
  return ToolMessage::none;
}

}  // namespace ayatori
