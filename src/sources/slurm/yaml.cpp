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
using slurm::HostLists;
using slurm::Switch;
using slurm::YamlNode;

class YamlReader {
 public:
  explicit YamlReader(std::string_view file) : file_(file), hosts_(file) {}

  Result<Network> read(const YamlNode& document, std::string_view topology);

 private:
  Result<const YamlNode*> choose(const YamlNode& document, std::string_view topology) const;
  Result<std::vector<Switch>> read_topology(const YamlNode& topology);
  Result<std::vector<Switch>> read_tree(const YamlNode& tree);
  Result<Switch> read_switch(const YamlNode& node);
  Result<Blocks> read_blocks(const YamlNode& node);
  Result<Switch> read_block(const YamlNode& node);

  /// Errors: not a map; a key other than `keys`.
  Result<> check_keys(const YamlNode& node, std::initializer_list<std::string_view> keys) const;
  Result<std::string> word(const YamlNode& map, const char* key) const;
  Result<std::vector<std::string>> hosts(const YamlNode& map, const char* key);
  Result<const YamlNode*> list(const YamlNode& map, const char* key) const;

  [[nodiscard]] Failure wrong(const YamlNode& node, std::string what) const {
    return fail_at(file_, node.line, std::move(what));
  }

  std::string_view file_;
  HostLists hosts_;
};

Result<> YamlReader::check_keys(const YamlNode& node, std::initializer_list<std::string_view> keys) const {
  if (!node.is_map()) return wrong(node, fmt::format("expected a map with {}", fmt::join(keys, ", ")));
  for (const YamlNode& key : node.keys) {
    if (std::ranges::find(keys, key.text) != keys.end()) continue;
    return wrong(key, fmt::format("expected one of {} instead of '{}'", fmt::join(keys, ", "), key.text));
  }
  return {};
}

Result<std::string> YamlReader::word(const YamlNode& map, const char* key) const {
  const YamlNode* const value = map.find(key);
  if (!value || value->text.empty()) return wrong(map, fmt::format("expected '{}: NAME'", key));
  return value->text;
}

Result<std::vector<std::string>> YamlReader::hosts(const YamlNode& map, const char* key) {
  const YamlNode* const value = map.find(key);
  if (!value) return std::vector<std::string>();
  if (!value->is_word()) return wrong(*value, fmt::format("expected a host list like n[01-09] for '{}:'", key));
  return hosts_.expand(value->text, value->line);
}

Result<const YamlNode*> YamlReader::list(const YamlNode& map, const char* key) const {
  const YamlNode* const value = map.find(key);
  if (!value || !value->is_list()) return wrong(map, fmt::format("expected a list for '{}:'", key));
  return value;
}

std::string names_of(const YamlNode& document) {
  std::vector<std::string> names;
  for (const YamlNode& topology : document.items) {
    const YamlNode* const name = topology.find("topology");
    if (name && name->is_word()) names.push_back(name->text);
  }
  return fmt::format("slurm:FILE,topology=NAME; NAME is one of: {}", fmt::join(names, ", "));
}

/// As YAML 1.1 has them, which Slurm reads.
std::optional<bool> truth_of(const YamlNode& node) {
  std::string word = node.text;
  std::ranges::transform(word, word.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 32) : c; });
  for (const std::string_view yes : {"true", "yes", "on", "y"}) {
    if (word == yes) return true;
  }
  for (const std::string_view no : {"false", "no", "off", "n"}) {
    if (word == no) return false;
  }
  return std::nullopt;
}

/// Slurm takes the first `cluster_default: true`.
Result<const YamlNode*> YamlReader::choose(const YamlNode& document, std::string_view topology) const {
  for (const YamlNode& candidate : document.items) {
    if (auto checked =
            check_keys(candidate, {"topology", "cluster_default", "tree", "block", "flat", "ring", "torus3d"});
        !checked) {
      return Failure(checked.error());
    }
    const auto name = word(candidate, "topology");
    if (!name) return Failure(name.error());
    const YamlNode* const flag = candidate.find("cluster_default");
    const auto is_default = flag ? truth_of(*flag) : false;
    if (!is_default) return wrong(*flag, "expected true or false for 'cluster_default:'");
    if (topology.empty() ? *is_default : *name == topology) return &candidate;
  }
  if (topology.empty() && document.items.size() == 1) return &document.items[0];
  auto failure = topology.empty() ? fail_at(file_, 0, "none of its topologies has 'cluster_default: true'")
                                  : fail_at(file_, 0, fmt::format("it has no topology '{}'", topology));
  return with_hint(std::move(failure), names_of(document));
}

Result<Network> YamlReader::read(const YamlNode& document, std::string_view topology) {
  if (document.items.empty() || !document.is_list()) {
    return wrong(document, "expected a list of topologies: '- topology: NAME'");
  }
  const auto chosen = choose(document, topology);
  if (!chosen) return Failure(chosen.error());
  const auto switches = read_topology(**chosen);
  if (!switches) return Failure(switches.error());
  return slurm::network_of_switches(*switches, file_);
}

Result<std::vector<Switch>> YamlReader::read_topology(const YamlNode& topology) {
  const std::string& name = topology.find("topology")->text;
  for (const char* kind : {"flat", "ring", "torus3d"}) {
    const YamlNode* const found = topology.find(kind);
    if (!found) continue;
    return with_hint(wrong(*found, fmt::format("the topology '{}' is {}: it lists no switches", name, kind)),
                     "slurm:FILE,topology=NAME picks another one");
  }
  const YamlNode* const tree = topology.find("tree");
  const YamlNode* const block = topology.find("block");
  if ((tree == nullptr) == (block == nullptr)) {
    return wrong(topology, fmt::format("the topology '{}' needs either 'tree:' or 'block:'", name));
  }
  if (tree) return read_tree(*tree);
  auto blocks = read_blocks(*block);
  if (!blocks) return Failure(blocks.error());
  return slurm::switches_of_blocks(std::move(*blocks), file_);
}

Result<std::vector<Switch>> YamlReader::read_tree(const YamlNode& tree) {
  if (auto checked = check_keys(tree, {"switches"}); !checked) return Failure(checked.error());
  const auto entries = list(tree, "switches");
  if (!entries) return Failure(entries.error());
  std::vector<Switch> switches;
  for (const YamlNode& entry : (*entries)->items) {
    auto found = read_switch(entry);
    if (!found) return Failure(found.error());
    switches.push_back(std::move(*found));
  }
  if (switches.empty()) return wrong(tree, "a tree without switches");
  return switches;
}

Result<Switch> YamlReader::read_switch(const YamlNode& node) {
  if (auto checked = check_keys(node, {"switch", "children", "nodes"}); !checked) return Failure(checked.error());
  const auto name = word(node, "switch");
  if (!name) return Failure(name.error());
  auto children = hosts(node, "children");
  if (!children) return Failure(children.error());
  auto nodes = hosts(node, "nodes");
  if (!nodes) return Failure(nodes.error());
  return Switch{*name, std::move(*children), std::move(*nodes), node.line};
}

Result<Blocks> YamlReader::read_blocks(const YamlNode& node) {
  if (auto checked = check_keys(node, {"block_sizes", "blocks"}); !checked) return Failure(checked.error());
  const auto entries = list(node, "blocks");
  if (!entries) return Failure(entries.error());
  Blocks blocks;
  for (const YamlNode& entry : (*entries)->items) {
    auto found = read_block(entry);
    if (!found) return Failure(found.error());
    blocks.blocks.push_back(std::move(*found));
  }
  if (!node.find("block_sizes")) return blocks;
  const auto sizes = list(node, "block_sizes");
  if (!sizes) return Failure(sizes.error());
  blocks.line = (*sizes)->line;
  for (const YamlNode& entry : (*sizes)->items) {
    const auto size = parse_unsigned<std::uint64_t>(entry.text);
    if (!size) return wrong(entry, "expected a number of nodes in 'block_sizes:'");
    blocks.sizes.push_back(*size);
  }
  return blocks;
}

Result<Switch> YamlReader::read_block(const YamlNode& node) {
  if (auto checked = check_keys(node, {"block", "nodes"}); !checked) return Failure(checked.error());
  const auto name = word(node, "block");
  if (!name) return Failure(name.error());
  auto nodes = hosts(node, "nodes");
  if (!nodes) return Failure(nodes.error());
  return Switch{*name, {}, std::move(*nodes), node.line};
}

}  // namespace

Result<Network> parse_slurm_yaml(std::string_view text, std::string_view file, std::string_view topology) {
  const auto document = slurm::parse_yaml(text, file);
  if (!document) return Failure(document.error());
  return YamlReader(file).read(*document, topology);
}

}  // namespace ayatori
