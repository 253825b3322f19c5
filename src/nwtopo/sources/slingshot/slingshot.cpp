#include "ayatori/slingshot/slingshot.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "ayatori/base/files.hpp"
#include "ayatori/network/builder.hpp"
#include "inventory.hpp"

namespace ayatori {

namespace {

constexpr std::size_t rosetta_ports = 64;

/// A cable that is assumed, so that its ports are not known.
struct AssumedCable {
  std::string router;
  std::string other;  ///< a router or a node
};

/// The cables that the rules of slingshot.hpp add to an inventory, and the routers that stand for unlisted switches.
class Assumptions {
 public:
  Assumptions(Inventory& inventory, std::string_view file) : inventory_(inventory), file_(file) {}

  [[nodiscard]] Result<std::vector<AssumedCable>> make();

 private:
  using Switches = std::vector<std::string>;

  void stand_in_for_switches();
  void form_groups();
  void distribute_nodes();
  void deal(const std::vector<std::string>& nodes, const Switches& switches);
  [[nodiscard]] Result<> cable_groups();
  [[nodiscard]] Result<> check_group(const Switches& group) const;

  Inventory& inventory_;
  std::string_view file_;
  std::map<Chassis, Switches> by_chassis_;
  std::map<std::uint32_t, Switches> by_cabinet_;
  std::vector<Switches> groups_;
  std::vector<AssumedCable> cables_;
};

Result<std::vector<AssumedCable>> Assumptions::make() {
  const auto reaches_node = [](const Inventory::Cable& cable) { return cable.a.is_node() || cable.b.is_node(); };
  const auto edge_cables = std::ranges::count_if(inventory_.cables, reaches_node);
  const bool lists_node_cables = edge_cables > 0;
  const bool lists_switch_cables = inventory_.cables.size() > static_cast<std::size_t>(edge_cables);
  if (!lists_node_cables) stand_in_for_switches();
  for (const auto& [name, chassis] : inventory_.switches) {
    by_chassis_[chassis].push_back(name);
    by_cabinet_[chassis.cabinet].push_back(name);
  }
  if (!lists_node_cables) distribute_nodes();
  if (lists_switch_cables) return cables_;
  form_groups();
  if (auto cabled = cable_groups(); !cabled) return Failure(cabled.error());
  return cables_;
}

void Assumptions::stand_in_for_switches() {
  std::map<std::uint32_t, bool> has_switch;
  for (const auto& [name, chassis] : inventory_.switches) has_switch[chassis.cabinet] = true;
  for (const auto& [name, node] : inventory_.nodes) {
    const auto& [cabinet, chassis] = node.chassis;
    if (!has_switch[cabinet]) inventory_.switches[fmt::format("x{}c{}", cabinet, chassis)] = node.chassis;
  }
}

void Assumptions::distribute_nodes() {
  std::map<Chassis, std::vector<std::string>> nodes;
  for (const auto& [name, node] : inventory_.nodes) nodes[node.chassis].push_back(name);
  for (const auto& [chassis, names] : nodes) {
    const auto own = by_chassis_.find(chassis);
    deal(names, own != by_chassis_.end() ? own->second : by_cabinet_.at(chassis.cabinet));
  }
}

void Assumptions::deal(const std::vector<std::string>& nodes, const Switches& switches) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    cables_.push_back({switches[i * switches.size() / nodes.size()], nodes[i]});
  }
}

void Assumptions::form_groups() {
  std::uint32_t cabinets = 0;
  for (const auto& [cabinet, switches] : by_cabinet_) {
    if (cabinets++ % inventory_.cabinets_per_group == 0) groups_.emplace_back();
    groups_.back().insert(groups_.back().end(), switches.begin(), switches.end());
  }
}

Result<> Assumptions::check_group(const Switches& group) const {
  if (group.size() > rosetta_ports + 1) {
    return fail("{}: the group of '{}' has {} switches; at most {} can be cabled each to each", file_, group.front(),
                group.size(), rosetta_ports + 1);
  }
  if (groups_.size() - 1 > group.size() * rosetta_ports) {
    return fail("{}: the group of '{}' needs {} cables to other groups; its switches have {} ports", file_,
                group.front(), groups_.size() - 1, group.size() * rosetta_ports);
  }
  return {};
}

Result<> Assumptions::cable_groups() {
  for (const Switches& group : groups_) {
    if (auto checked = check_group(group); !checked) return checked;
  }
  // The cables to the other groups are assigned to the switches of a group round-robin.
  const auto towards = [&](std::size_t from, std::size_t to) {
    const std::size_t links = (groups_.size() + groups_[from].size() - 2) / groups_[from].size();
    return groups_[from][(to < from ? to : to - 1) / std::max<std::size_t>(links, 1)];
  };
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    const Switches& own = groups_[group];
    for (std::size_t i = 0; i < own.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) cables_.push_back({own[j], own[i]});
    }
    for (std::size_t other = 0; other < group; ++other)
      cables_.push_back({towards(other, group), towards(group, other)});
  }
  return {};
}

class SlingshotBuilder {
 public:
  SlingshotBuilder(const Inventory& inventory, std::string_view file) : inventory_(inventory), file_(file) {}

  [[nodiscard]] Result<Network> build(const std::vector<AssumedCable>& assumed);

 private:
  using Handle = NetworkBuilder::Handle;

  [[nodiscard]] Result<> add_routers(const std::vector<AssumedCable>& assumed);
  [[nodiscard]] Handle nic(const std::string& node, std::uint16_t number);
  [[nodiscard]] Result<> plug(const Inventory::Cable& cable);
  [[nodiscard]] Result<> plug(const AssumedCable& cable);

  const Inventory& inventory_;
  std::string_view file_;
  NetworkBuilder builder_;
  std::map<std::string, Handle> routers_;
  std::map<std::string, PortNumber> last_port_;
  std::map<std::pair<std::string, std::uint16_t>, Handle> nics_;
};

Result<> SlingshotBuilder::add_routers(const std::vector<AssumedCable>& assumed) {
  for (const Inventory::Cable& cable : inventory_.cables) {
    for (const Xname* end : {&cable.a, &cable.b}) {
      if (!end->is_node()) last_port_[end->device] = std::max(last_port_[end->device], end->port);
    }
  }
  std::map<std::string, std::uint32_t> more;
  for (const AssumedCable& cable : assumed) {
    ++more[cable.router];
    ++more[cable.other];
  }
  for (const auto& [name, chassis] : inventory_.switches) {
    const std::size_t ports = std::size_t{last_port_[name]} + more[name];
    constexpr std::size_t most = std::numeric_limits<PortNumber>::max();
    if (ports > most) return fail("{}: '{}' needs {} ports; the maximum is {}", file_, name, ports, most);
    routers_[name] = builder_.add_router(name, 0, static_cast<PortNumber>(ports));
  }
  return {};
}

NetworkBuilder::Handle SlingshotBuilder::nic(const std::string& node, std::uint16_t number) {
  const auto [entry, is_new] = nics_.try_emplace({node, number});
  const std::string& host = inventory_.nodes.at(node).name;
  if (is_new) entry->second = builder_.add_nic(fmt::format("{} h{}", host, number), 0, 1, host, number);
  return entry->second;
}

Result<> SlingshotBuilder::plug(const Inventory::Cable& cable) {
  const auto end = [&](const Xname& name) {
    return name.is_node() ? std::pair(nic(name.device, name.nic), PortNumber{1})
                          : std::pair(routers_.at(name.device), name.port);
  };
  const auto [a, port_a] = end(cable.a);
  const auto [b, port_b] = end(cable.b);
  auto connected = builder_.connect(a, port_a, b, port_b, cable.rate);
  return connected ? connected : fail_at(file_, cable.line, connected.error().message);
}

Result<> SlingshotBuilder::plug(const AssumedCable& cable) {
  const Handle router = routers_.at(cable.router);
  const PortNumber port = ++last_port_[cable.router];
  const auto other = routers_.find(cable.other);
  if (other == routers_.end()) return builder_.connect(nic(cable.other, 0), 1, router, port, {});
  return builder_.connect(router, port, other->second, ++last_port_[cable.other], {});
}

Result<Network> SlingshotBuilder::build(const std::vector<AssumedCable>& assumed) {
  builder_.begin_plane("slingshot");
  if (auto added = add_routers(assumed); !added) return Failure(added.error());
  for (const Inventory::Cable& cable : inventory_.cables) {
    if (auto plugged = plug(cable); !plugged) return Failure(plugged.error());
  }
  for (const AssumedCable& cable : assumed) {
    if (auto plugged = plug(cable); !plugged) return fail("{}: {}", file_, plugged.error().message);
  }
  for (const auto& [name, node] : inventory_.nodes) {
    const auto first = nics_.lower_bound({name, 0});
    const bool has_cable = first != nics_.end() && first->first.first == name;
    if (!has_cable) static_cast<void>(nic(name, 0));
  }
  return builder_.build();
}

}  // namespace

Result<Network> parse_slingshot(std::string_view text, std::string_view file) {
  auto inventory = Inventory::parse(text, file);
  if (!inventory) return Failure(inventory.error());
  const auto assumed = Assumptions(*inventory, file).make();
  if (!assumed) return Failure(assumed.error());
  return SlingshotBuilder(*inventory, file).build(*assumed);
}

Result<Network> open_slingshot(std::string_view file) {
  if (file.empty()) return with_hint(fail("slingshot: no file is given"), "slingshot:FILE (xnames, one a line)");
  const auto text = read_file(file);
  if (!text) return Failure(text.error());
  return parse_slingshot(*text, file);
}

}  // namespace ayatori
