#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <initializer_list>

#include "ayatori/base/text.hpp"
#include "ayatori/slurm/slurm.hpp"
#include "described.hpp"

namespace ayatori {

namespace {

using slurm::Blocks;
using slurm::HostLists;
using slurm::Switch;

std::size_t line_of(const YAML::Node& node) {
  const int line = node.Mark().line;
  return line < 0 ? 0 : static_cast<std::size_t>(line) + 1;
}

class YamlReader {
 public:
  explicit YamlReader(std::string_view file) : file_(file), hosts_(file) {}

  Result<Network> read(const YAML::Node& document, std::string_view topology);

 private:
  Result<YAML::Node> choose(const YAML::Node& document, std::string_view topology) const;
  Result<std::vector<Switch>> read_topology(const YAML::Node& topology);
  Result<std::vector<Switch>> read_tree(const YAML::Node& tree);
  Result<Switch> read_switch(const YAML::Node& node);
  Result<Blocks> read_blocks(const YAML::Node& node);
  Result<Switch> read_block(const YAML::Node& node);

  /// Errors: not a map; a key other than `keys`.
  Result<> check_keys(const YAML::Node& node, std::initializer_list<std::string_view> keys) const;
  Result<std::string> word(const YAML::Node& map, const char* key) const;
  Result<std::vector<std::string>> hosts(const YAML::Node& map, const char* key);
  Result<YAML::Node> list(const YAML::Node& map, const char* key) const;

  [[nodiscard]] Failure wrong(const YAML::Node& node, std::string what) const {
    return fail_at(file_, line_of(node), std::move(what));
  }

  std::string_view file_;
  HostLists hosts_;
};

Result<> YamlReader::check_keys(const YAML::Node& node, std::initializer_list<std::string_view> keys) const {
  if (!node.IsMap()) return wrong(node, fmt::format("expected a map with {}", fmt::join(keys, ", ")));
  for (const auto& entry : node) {
    const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "";
    if (std::ranges::find(keys, key) != keys.end()) continue;
    return wrong(entry.first, fmt::format("expected one of {} instead of '{}'", fmt::join(keys, ", "), key));
  }
  return {};
}

Result<std::string> YamlReader::word(const YAML::Node& map, const char* key) const {
  const YAML::Node value = map[key];
  if (!value || !value.IsScalar() || value.Scalar().empty()) return wrong(map, fmt::format("expected '{}: NAME'", key));
  return value.Scalar();
}

Result<std::vector<std::string>> YamlReader::hosts(const YAML::Node& map, const char* key) {
  const YAML::Node value = map[key];
  if (!value) return std::vector<std::string>();
  if (!value.IsScalar()) return wrong(value, fmt::format("expected a host list like n[01-09] for '{}:'", key));
  return hosts_.expand(value.Scalar(), line_of(value));
}

Result<YAML::Node> YamlReader::list(const YAML::Node& map, const char* key) const {
  const YAML::Node value = map[key];
  if (!value || !value.IsSequence()) return wrong(map, fmt::format("expected a list for '{}:'", key));
  return value;
}

std::string names_of(const YAML::Node& document) {
  std::vector<std::string> names;
  for (const auto& topology : document) {
    if (topology.IsMap() && topology["topology"] && topology["topology"].IsScalar()) {
      names.push_back(topology["topology"].Scalar());
    }
  }
  return fmt::format("slurm:FILE,topology=NAME; NAME is one of: {}", fmt::join(names, ", "));
}

/// Slurm takes the first `cluster_default: true`.
Result<YAML::Node> YamlReader::choose(const YAML::Node& document, std::string_view topology) const {
  for (const auto& candidate : document) {
    if (auto checked =
            check_keys(candidate, {"topology", "cluster_default", "tree", "block", "flat", "ring", "torus3d"});
        !checked) {
      return Failure(checked.error());
    }
    const auto name = word(candidate, "topology");
    if (!name) return Failure(name.error());
    const YAML::Node flag = candidate["cluster_default"];
    bool is_default = false;
    if (flag && !YAML::convert<bool>::decode(flag, is_default)) {
      return wrong(flag, "expected true or false for 'cluster_default:'");
    }
    if (topology.empty() ? is_default : *name == topology) return candidate;
  }
  if (topology.empty() && document.size() == 1) return document[0];
  auto failure = topology.empty() ? fail_at(file_, 0, "none of its topologies has 'cluster_default: true'")
                                  : fail_at(file_, 0, fmt::format("it has no topology '{}'", topology));
  return with_hint(std::move(failure), names_of(document));
}

Result<Network> YamlReader::read(const YAML::Node& document, std::string_view topology) {
  if (!document.IsSequence() || document.size() == 0) {
    return wrong(document, "expected a list of topologies: '- topology: NAME'");
  }
  const auto chosen = choose(document, topology);
  if (!chosen) return Failure(chosen.error());
  const auto switches = read_topology(*chosen);
  if (!switches) return Failure(switches.error());
  return slurm::network_of_switches(*switches, file_);
}

Result<std::vector<Switch>> YamlReader::read_topology(const YAML::Node& topology) {
  const std::string name = topology["topology"].Scalar();
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

Result<std::vector<Switch>> YamlReader::read_tree(const YAML::Node& tree) {
  if (auto checked = check_keys(tree, {"switches"}); !checked) return Failure(checked.error());
  const auto entries = list(tree, "switches");
  if (!entries) return Failure(entries.error());
  std::vector<Switch> switches;
  for (const auto& entry : *entries) {
    auto found = read_switch(entry);
    if (!found) return Failure(found.error());
    switches.push_back(std::move(*found));
  }
  if (switches.empty()) return wrong(tree, "a tree without switches");
  return switches;
}

Result<Switch> YamlReader::read_switch(const YAML::Node& node) {
  if (auto checked = check_keys(node, {"switch", "children", "nodes"}); !checked) return Failure(checked.error());
  const auto name = word(node, "switch");
  if (!name) return Failure(name.error());
  auto children = hosts(node, "children");
  if (!children) return Failure(children.error());
  auto nodes = hosts(node, "nodes");
  if (!nodes) return Failure(nodes.error());
  return Switch{*name, std::move(*children), std::move(*nodes), line_of(node)};
}

Result<Blocks> YamlReader::read_blocks(const YAML::Node& node) {
  if (auto checked = check_keys(node, {"block_sizes", "blocks"}); !checked) return Failure(checked.error());
  const auto entries = list(node, "blocks");
  if (!entries) return Failure(entries.error());
  Blocks blocks;
  for (const auto& entry : *entries) {
    auto found = read_block(entry);
    if (!found) return Failure(found.error());
    blocks.blocks.push_back(std::move(*found));
  }
  if (!node["block_sizes"]) return blocks;
  const auto sizes = list(node, "block_sizes");
  if (!sizes) return Failure(sizes.error());
  blocks.line = line_of(*sizes);
  for (const auto& entry : *sizes) {
    const auto size = entry.IsScalar() ? parse_unsigned<std::uint64_t>(entry.Scalar()) : std::nullopt;
    if (!size) return wrong(entry, "expected a number of nodes in 'block_sizes:'");
    blocks.sizes.push_back(*size);
  }
  return blocks;
}

Result<Switch> YamlReader::read_block(const YAML::Node& node) {
  if (auto checked = check_keys(node, {"block", "nodes"}); !checked) return Failure(checked.error());
  const auto name = word(node, "block");
  if (!name) return Failure(name.error());
  auto nodes = hosts(node, "nodes");
  if (!nodes) return Failure(nodes.error());
  return Switch{*name, {}, std::move(*nodes), line_of(node)};
}

}  // namespace

Result<Network> parse_slurm_yaml(std::string_view text, std::string_view file, std::string_view topology) {
  // yaml-cpp throws; no exception leaves this function.
  try {
    return YamlReader(file).read(YAML::Load(std::string(text)), topology);
  } catch (const YAML::Exception& exception) {
    const int line = exception.mark.line;
    return fail_at(file, line < 0 ? 0 : static_cast<std::size_t>(line) + 1, "no YAML: " + exception.msg);
  }
}

}  // namespace ayatori
