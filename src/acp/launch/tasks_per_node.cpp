#include "tasks_per_node.hpp"

#include "ayatori/base/text.hpp"

namespace ayatori::launch {

namespace {

constexpr std::string_view before_nodes = "(x";

/// A number from 1 on, without zeros before it.
std::optional<std::uint32_t> count(std::string_view digits) {
  if (digits.starts_with('0')) return std::nullopt;
  return parse_unsigned<std::uint32_t>(digits);
}

std::optional<AlikeNodes> parse_group(std::string_view text) {
  const auto tasks = count(text.substr(0, text.find('(')));
  if (!tasks) return std::nullopt;
  if (text.find('(') == std::string_view::npos) return AlikeNodes{.nodes = 1, .tasks = *tasks};
  text.remove_prefix(text.find('('));
  if (!text.starts_with(before_nodes) || !text.ends_with(')')) return std::nullopt;
  const auto nodes = count(text.substr(before_nodes.size(), text.size() - before_nodes.size() - 1));
  if (!nodes) return std::nullopt;
  return AlikeNodes{.nodes = *nodes, .tasks = *tasks};
}

}  // namespace

Result<std::vector<AlikeNodes>> parse_tasks_per_node(std::string_view text) {
  std::vector<AlikeNodes> groups;
  for (std::string_view rest = text;;) {
    const std::size_t comma = rest.find(',');
    const auto group = parse_group(rest.substr(0, comma));
    if (!group) return fail("'{}' is not a list of tasks per node, such as 2(x3),1", text);
    groups.push_back(*group);
    if (comma == std::string_view::npos) return groups;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace ayatori::launch
