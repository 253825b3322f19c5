#include "inventory.hpp"

#include <algorithm>
#include <set>

namespace ayatori {

namespace {

constexpr std::string_view group_key = "cabinets-per-group=";

std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view blank = " \t";
  line = line.substr(0, line.find('#'));
  std::vector<std::string_view> words;
  for (std::size_t at = line.find_first_not_of(blank); at < line.size(); at = line.find_first_not_of(blank, at)) {
    const std::size_t end = std::min(line.find_first_of(blank, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

bool is_address(std::string_view word) {
  return word.find_first_of(".:") != std::string_view::npos &&
         word.find_first_not_of("0123456789.:abcdefABCDEF") == std::string_view::npos;
}

class InventoryReader {
 public:
  explicit InventoryReader(std::string_view file) : file_(file) {}

  [[nodiscard]] Result<> read(std::string_view line, std::size_t number);
  [[nodiscard]] Result<Inventory> finish();

 private:
  [[nodiscard]] Failure wrong(std::string what) const { return fail_at(file_, line_, std::move(what)); }
  [[nodiscard]] Result<> read_group(std::string_view count);
  [[nodiscard]] Result<> read_cable(const std::vector<std::string_view>& words);
  [[nodiscard]] Result<> read_device(const std::vector<std::string_view>& words);
  [[nodiscard]] Result<> add_node(const Xname& node, std::string_view alias);
  void mention(const Xname& end);

  std::string_view file_;
  std::size_t line_ = 0;
  Inventory inventory_;
  std::set<std::string> names_;
};

Result<> InventoryReader::read(std::string_view line, std::size_t number) {
  line_ = number;
  const auto words = words_of(line);
  if (words.empty()) return {};
  if (words[0].starts_with(group_key) && words.size() == 1) return read_group(words[0].substr(group_key.size()));
  if (words.size() > 1 && parse_xname(words[0]) && parse_xname(words[1])) return read_cable(words);
  return read_device(words);
}

Result<> InventoryReader::read_group(std::string_view count) {
  const auto cabinets = parse_unsigned<std::uint32_t>(count);
  if (!cabinets || *cabinets == 0) return wrong(fmt::format("expected a number of cabinets instead of '{}'", count));
  inventory_.cabinets_per_group = *cabinets;
  return {};
}

Result<> InventoryReader::read_cable(const std::vector<std::string_view>& words) {
  Inventory::Cable cable{*parse_xname(words[0]), *parse_xname(words[1]), {}, line_};
  const auto is_end = [](const Xname& name) { return name.kind != Xname::Kind::router; };
  if (!is_end(cable.a) || !is_end(cable.b) || (cable.a.is_node() && cable.b.is_node())) {
    return wrong(
        fmt::format("'{} {}' is not a cable: expected a switch port, and a switch port or a NIC", words[0], words[1]));
  }
  if (words.size() > 2) {
    const auto rate = parse_link_rate(words[2]);
    if (!rate || words.size() > 3)
      return wrong(fmt::format("expected a rate like 200Gbit/s instead of '{}'", words[2]));
    cable.rate = *rate;
  }
  mention(cable.a);
  mention(cable.b);
  inventory_.cables.push_back(std::move(cable));
  return {};
}

void InventoryReader::mention(const Xname& end) {
  if (end.is_node()) {
    inventory_.nodes.try_emplace(end.device, Inventory::Node{end.chassis, end.device, 0});
  } else {
    inventory_.switches.try_emplace(end.device, end.chassis);
  }
}

Result<> InventoryReader::read_device(const std::vector<std::string_view>& words) {
  std::optional<Xname> device;
  std::string_view alias;
  for (const std::string_view word : words) {
    if (const auto name = parse_xname(word); name && !device) {
      device = name;
    } else if (alias.empty() && !is_address(word)) {
      alias = word;
    }
  }
  if (device && device->kind == Xname::Kind::node) return add_node(*device, alias);
  if (device && device->kind == Xname::Kind::router) {
    mention(*device);
    return {};
  }
  return with_hint(wrong(fmt::format("expected the xname of a node or switch instead of '{}'", words[0])),
                   "a node x1000c0s0b0n0, a switch x1000c0r1, or a cable x1000c0r1j5p0 x1000c0s0b0n0h0");
}

Result<> InventoryReader::add_node(const Xname& node, std::string_view alias) {
  Inventory::Node& known =
      inventory_.nodes.try_emplace(node.device, Inventory::Node{node.chassis, {}, 0}).first->second;
  if (known.line != 0) return wrong(fmt::format("'{}' is listed twice, first in line {}", node.device, known.line));
  known.line = line_;
  known.name = alias.empty() ? node.device : std::string(alias);
  if (!names_.insert(known.name).second) return wrong(fmt::format("another node is called '{}' too", known.name));
  return {};
}

/// Nodes that only cables name go by their xname, which must be nobody's alias.
Result<Inventory> InventoryReader::finish() {
  if (inventory_.nodes.empty()) return fail("{}: no node", file_);
  for (const auto& [xname, node] : inventory_.nodes) {
    if (node.line == 0 && names_.contains(xname)) return fail("{}: another node is called '{}' too", file_, xname);
  }
  return std::move(inventory_);
}

}  // namespace

Result<Inventory> Inventory::parse(std::string_view text, std::string_view file) {
  InventoryReader reader(file);
  LineReader lines(text);
  while (const auto line = lines.next()) {
    if (auto read = reader.read(*line, lines.line()); !read) return Failure(read.error());
  }
  return reader.finish();
}

}  // namespace ayatori
