#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>

#include "ayatori/base/text.hpp"
#include "ayatori/slurm/slurm.hpp"
#include "described.hpp"
#include "yaml_document.hpp"

namespace ayatori {

namespace {

using slurm::Blocks;
using slurm::DescribedSwitch;
using slurm::HostLists;
using slurm::YamlDocument;
using slurm::YamlNode;

class YamlReader {
 public:
  explicit YamlReader(std::string_view file) : file_(file), hosts_(file) {}

  Result<Network> read(const YamlNode& document, std::string_view topology);

 private:
  Result<YamlNode> choose(const YamlNode& document, std::string_view topology) const;
  Result<std::vector<DescribedSwitch>> read_topology(const YamlNode& topology);
  Result<std::vector<DescribedSwitch>> read_tree(const YamlNode& tree);
  Result<DescribedSwitch> read_switch(const YamlNode& node);
  Result<Blocks> read_blocks(const YamlNode& node);
  Result<DescribedSwitch> read_block(const YamlNode& node);

  /// Errors: not a map; a key other than `keys`.
  Result<> check_keys(const YamlNode& node, std::initializer_list<std::string_view> keys) const;
  Result<std::string> word(const YamlNode& map, const char* key) const;
  Result<std::vector<std::string>> hosts(const YamlNode& map, const char* key);
  Result<YamlNode> list(const YamlNode& map, const char* key) const;

  [[nodiscard]] Failure wrong(const YamlNode& node, std::string what) const {
    return fail_at(file_, node.line(), std::move(what));
  }

  std::string_view file_;
  HostLists hosts_;
};

Result<> YamlReader::check_keys(const YamlNode& node, std::initializer_list<std::string_view> keys) const {
  if (!node.is_map()) return wrong(node, fmt::format("expected a map with {}", fmt::join(keys, ", ")));
  for (const YamlNode& key : node.keys()) {
    if (std::ranges::find(keys, key.scalar()) != keys.end()) continue;
    return wrong(key, fmt::format("expected one of {} instead of '{}'", fmt::join(keys, ", "), key.scalar()));
  }
  return {};
}

Result<std::string> YamlReader::word(const YamlNode& map, const char* key) const {
  const YamlNode value = map[key];
  if (!value || !value.is_scalar() || value.scalar().empty())
    return wrong(map, fmt::format("expected '{}: NAME'", key));
  return std::string(value.scalar());
}

Result<std::vector<std::string>> YamlReader::hosts(const YamlNode& map, const char* key) {
  const YamlNode value = map[key];
  if (!value) return std::vector<std::string>();
  if (!value.is_scalar()) return wrong(value, fmt::format("expected a host list like n[01-09] for '{}:'", key));
  return hosts_.expand(value.scalar(), value.line());
}

Result<YamlNode> YamlReader::list(const YamlNode& map, const char* key) const {
  const YamlNode value = map[key];
  if (!value || !value.is_list()) return wrong(map, fmt::format("expected a list for '{}:'", key));
  return value;
}

std::string names_of(const YamlNode& document) {
  std::vector<std::string> names;
  for (const YamlNode& topology : document.items()) {
    if (topology["topology"].is_scalar()) {
      names.emplace_back(topology["topology"].scalar());
    }
  }
  return fmt::format("slurm:FILE,topology=NAME; NAME is one of: {}", fmt::join(names, ", "));
}

/// Slurm takes the first `cluster_default: true`.
Result<YamlNode> YamlReader::choose(const YamlNode& document, std::string_view topology) const {
  for (const YamlNode& candidate : document.items()) {
    if (auto checked =
            check_keys(candidate, {"topology", "cluster_default", "tree", "block", "flat", "ring", "torus3d"});
        !checked) {
      return Failure(checked.error());
    }
    const auto name = word(candidate, "topology");
    if (!name) return Failure(name.error());
    const YamlNode flag = candidate["cluster_default"];
    if (flag && !flag.truth()) return wrong(flag, "expected true or false for 'cluster_default:'");
    if (topology.empty() ? flag.truth().value_or(false) : *name == topology) return candidate;
  }
  if (topology.empty() && document.items().size() == 1) return document.items().front();
  auto failure = topology.empty() ? fail_at(file_, 0, "none of its topologies has 'cluster_default: true'")
                                  : fail_at(file_, 0, fmt::format("it has no topology '{}'", topology));
  return with_hint(std::move(failure), names_of(document));
}

Result<Network> YamlReader::read(const YamlNode& document, std::string_view topology) {
  if (document.items().empty()) {
    return wrong(document, "expected a list of topologies: '- topology: NAME'");
  }
  const auto chosen = choose(document, topology);
  if (!chosen) return Failure(chosen.error());
  const auto switches = read_topology(*chosen);
  if (!switches) return Failure(switches.error());
  return slurm::network_of_switches(*switches, file_);
}

Result<std::vector<DescribedSwitch>> YamlReader::read_topology(const YamlNode& topology) {
  const std::string_view name = topology["topology"].scalar();
  for (const char* kind : {"flat", "ring", "torus3d"}) {
    if (!topology[kind]) continue;
    return with_hint(wrong(topology[kind], fmt::format("the topology '{}' is {}: it lists no switches", name, kind)),
                     "slurm:FILE,topology=NAME picks another one");
  }
  if (static_cast<bool>(topology["tree"]) == static_cast<bool>(topology["block"])) {
    return wrong(topology, fmt::format("the topology '{}' needs either 'tree:' or 'block:'", name));
  }
  if (topology["tree"]) return read_tree(topology["tree"]);
  auto blocks = read_blocks(topology["block"]);
  if (!blocks) return Failure(blocks.error());
  return slurm::switches_of_blocks(std::move(*blocks), file_);
}

Result<std::vector<DescribedSwitch>> YamlReader::read_tree(const YamlNode& tree) {
  if (auto checked = check_keys(tree, {"switches"}); !checked) return Failure(checked.error());
  const auto entries = list(tree, "switches");
  if (!entries) return Failure(entries.error());
  std::vector<DescribedSwitch> switches;
  for (const YamlNode& entry : entries->items()) {
    auto found = read_switch(entry);
    if (!found) return Failure(found.error());
    switches.push_back(std::move(*found));
  }
  if (switches.empty()) return wrong(tree, "a tree without switches");
  return switches;
}

Result<DescribedSwitch> YamlReader::read_switch(const YamlNode& node) {
  if (auto checked = check_keys(node, {"switch", "children", "nodes"}); !checked) return Failure(checked.error());
  const auto name = word(node, "switch");
  if (!name) return Failure(name.error());
  auto children = hosts(node, "children");
  if (!children) return Failure(children.error());
  auto nodes = hosts(node, "nodes");
  if (!nodes) return Failure(nodes.error());
  return DescribedSwitch{*name, std::move(*children), std::move(*nodes), node.line()};
}

Result<Blocks> YamlReader::read_blocks(const YamlNode& node) {
  if (auto checked = check_keys(node, {"block_sizes", "blocks"}); !checked) return Failure(checked.error());
  const auto entries = list(node, "blocks");
  if (!entries) return Failure(entries.error());
  Blocks blocks;
  for (const YamlNode& entry : entries->items()) {
    auto found = read_block(entry);
    if (!found) return Failure(found.error());
    blocks.blocks.push_back(std::move(*found));
  }
  if (!node["block_sizes"]) return blocks;
  const auto sizes = list(node, "block_sizes");
  if (!sizes) return Failure(sizes.error());
  blocks.line = sizes->line();
  for (const YamlNode& entry : sizes->items()) {
    const auto size = entry.is_scalar() ? parse_unsigned<std::uint64_t>(entry.scalar()) : std::nullopt;
    if (!size) return wrong(entry, "expected a number of nodes in 'block_sizes:'");
    blocks.sizes.push_back(*size);
  }
  return blocks;
}

Result<DescribedSwitch> YamlReader::read_block(const YamlNode& node) {
  if (auto checked = check_keys(node, {"block", "nodes"}); !checked) return Failure(checked.error());
  const auto name = word(node, "block");
  if (!name) return Failure(name.error());
  auto nodes = hosts(node, "nodes");
  if (!nodes) return Failure(nodes.error());
  return DescribedSwitch{*name, {}, std::move(*nodes), node.line()};
}

}  // namespace

Result<Network> parse_slurm_yaml(std::string_view text, std::string_view file, std::string_view topology) {
  const auto document = YamlDocument::parse(text, file);
  if (!document) return Failure(document.error());
  return YamlReader(file).read(document->root(), topology);
}

}  // namespace ayatori
