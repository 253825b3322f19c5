#include "host_pattern.hpp"

#include <regex>
#include <string>

namespace ayatori {

namespace {

using Match = std::match_results<std::string_view::const_iterator>;

std::string_view group(std::string_view text, const Match& match, std::size_t number) {
  return text.substr(static_cast<std::size_t>(match.position(number)), static_cast<std::size_t>(match.length(number)));
}

/// The second group if the pattern has one, else the last word if it is a device's name.
std::optional<DeviceName> device_in(std::string_view text, const Match& match) {
  if (match.size() <= 2) return parse_device_name(text.substr(text.find_last_of(" \t") + 1));
  const std::string_view word = group(text, match, 2);
  if (const auto device = parse_device_name(word)) return device;
  if (word.empty()) return std::nullopt;
  return DeviceName{std::nullopt, word};
}

HostDevice read_host(const std::regex& pattern, std::string_view description) {
  // Node descriptions have 64 bytes. Longer texts are shortened, since std::regex recurses once per byte.
  constexpr std::size_t longest = 256;
  const std::string_view text = description.substr(0, longest);
  Match match;
  try {
    if (!std::regex_search(text.begin(), text.end(), match, pattern)) return {};
  } catch (const std::regex_error&) {
    return {};  // too complex for this text: treated as one that does not match
  }
  return {group(text, match, 1), device_in(text, match)};
}

}  // namespace

Result<ReadHost> compile_host_pattern(std::string_view host_pattern) {
  try {
    const std::regex pattern{std::string(host_pattern)};
    if (pattern.mark_count() == 0) {
      return with_hint(fail("the host pattern '{}' has no group that would be the host name", host_pattern),
                       R"(put the host name in parentheses, for example '^(\S+) (\S+)$')");
    }
    return [pattern](std::string_view description) { return read_host(pattern, description); };
  } catch (const std::regex_error& error) {
    return with_cause(fail("the host pattern '{}' is not a valid regular expression", host_pattern), error.what());
  }
}

}  // namespace ayatori
