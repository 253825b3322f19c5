#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_set>

#include "hierarchy.hpp"
#include "image_draft.hpp"

namespace ayatori {

namespace {

class NetworkDrafter {
 public:
  explicit NetworkDrafter(const Network& network)
      : network_(network), routers_built_in_(are_routers_built_in(network)), kinds_(draft_.kinds) {}

  [[nodiscard]] ImageDraft draft();

 private:
  [[nodiscard]] static bool are_routers_built_in(const Network& network);
  void number_objects();
  void add_machines();
  void add_routers(const Hierarchy& hierarchy);
  void list_ports();
  void add_links();
  void add_groups(const Hierarchy& hierarchy);
  void add_group(ObjectKind kind, std::vector<std::uint32_t> objects, GridShape shape);
  [[nodiscard]] std::vector<std::uint32_t> machines_back_to_back() const;

  [[nodiscard]] bool is_shown(const Port& port) const;
  [[nodiscard]] std::string device_name(DeviceId nic) const;
  [[nodiscard]] image::LinkKind kind_of_port(PortId id) const;

  const Network& network_;
  const bool routers_built_in_;
  ImageDraft draft_;
  LinkKinds kinds_;
  std::vector<std::uint32_t> machine_object_;  // by machine
  std::vector<std::uint32_t> router_object_;   // by router
  std::vector<DeviceId> routers_;              // those that are objects, in the order of their ids
  std::vector<PortId> port_of_link_;
  std::vector<std::uint32_t> nic_number_;  // by device
  std::unordered_set<PortId> degraded_;
};

/// A machine with two built-in routers could not say which of them it is.
bool NetworkDrafter::are_routers_built_in(const Network& network) {
  const auto has_one_router = [&](const Machine& machine) {
    return machine.endpoints.size() == 1 && network.router_of(machine.endpoints.front()) != no_id;
  };
  return network.direct() && network.machines().size() == network.router_count() &&
         std::ranges::all_of(network.machines(), has_one_router);
}

void NetworkDrafter::number_objects() {
  const auto order = network_.machines_in_order();
  machine_object_.resize(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) machine_object_[order[i]] = i;
  router_object_.resize(network_.router_count());
  if (routers_built_in_) {
    for (MachineId machine = 0; machine < order.size(); ++machine) {
      router_object_[network_.router_of(network_.machine(machine).endpoints.front())] = machine_object_[machine];
    }
    return;
  }
  routers_ = network_.routers_in_order();
  for (std::size_t i = 0; i < routers_.size(); ++i) {
    router_object_[routers_[i]] = static_cast<std::uint32_t>(order.size() + i);
  }
}

/// What is left of a NIC's node description ("gpu-1 mlx5_0") without the name of its machine.
std::string NetworkDrafter::device_name(DeviceId nic) const {
  std::string_view name = network_.name(nic);
  const std::string_view host = network_.machine(network_.device(nic).machine).name;
  if (name.starts_with(host)) name.remove_prefix(host.size());
  while (name.starts_with(' ') || name.starts_with('/')) name.remove_prefix(1);
  return std::string(name);
}

/// NICs by plane, then rail: in the order of a machine's links.
void NetworkDrafter::add_machines() {
  std::vector<std::vector<DeviceId>> nics(network_.machines().size());
  for (DeviceId id = 0; id < network_.device_count(); ++id) {
    if (network_.device(id).kind == DeviceKind::nic) nics[network_.device(id).machine].push_back(id);
  }
  nic_number_.resize(network_.device_count());
  for (const MachineId machine : network_.machines_in_order()) {
    draft_.add_object({ObjectKind::machine, 0}, network_.machine(machine).name);
    const auto place = [&](DeviceId id) { return std::pair(network_.device(id).plane, network_.device(id).rail); };
    std::ranges::stable_sort(nics[machine], {}, place);
    std::uint32_t number = 0;
    for (const DeviceId id : nics[machine]) {
      const Device& nic = network_.device(id);
      nic_number_[id] = number++;
      draft_.nics.push_back({nic.rail, nic.plane, nic.guid, device_name(id)});
    }
    draft_.nic_ends.push_back(draft_.nics.size());
  }
}

void NetworkDrafter::add_routers(const Hierarchy& hierarchy) {
  for (const DeviceId router : routers_) {
    draft_.add_object({ObjectKind::router, hierarchy.height[router]}, network_.name(router));
    draft_.router_guids.push_back(network_.device(router).guid);
  }
}

/// Aggregation engines are not objects; the cable between a machine and its built-in router is not a link.
bool NetworkDrafter::is_shown(const Port& port) const {
  if (!port.connected()) return false;
  const DeviceId other = network_.port(port.peer).device;
  if (network_.device(other).kind == DeviceKind::aggregation) return false;
  return !routers_built_in_ || (network_.is_router(port.device) && network_.is_router(other));
}

void NetworkDrafter::list_ports() {
  const auto add = [&](PortId id) {
    if (is_shown(network_.port(id))) port_of_link_.push_back(id);
  };
  const auto add_router = [&](DeviceId router) {
    for (const Port& port : network_.ports(router)) add(network_.port_id(router, port.number));
  };
  const auto end_object = [&] { draft_.first_link.push_back(port_of_link_.size()); };
  for (const MachineId machine : network_.machines_in_order()) {
    auto endpoints = network_.machine(machine).endpoints;
    const auto plane = [&](PortId id) { return network_.device(network_.port(id).device).plane; };
    std::ranges::stable_sort(endpoints, {}, plane);
    if (routers_built_in_) {
      add_router(network_.router_of(endpoints.front()));
    } else {
      std::ranges::for_each(endpoints, add);
    }
    end_object();
  }
  for (const DeviceId router : routers_) {
    add_router(router);
    end_object();
  }
}

image::LinkKind NetworkDrafter::kind_of_port(PortId id) const {
  const Port& port = network_.port(id);
  const Device& device = network_.device(port.device);
  TopologyLink link;
  link.from_port = port.number;
  link.rate = port.rate;
  link.latency = port.latency;
  link.plane = device.plane;
  link.degraded = !degraded_.empty() && degraded_.contains(std::min(id, port.peer));
  if (device.kind == DeviceKind::nic) link.from_nic = nic_number_[port.device];
  return kind_of(link);
}

void NetworkDrafter::add_links() {
  degraded_.insert(network_.degraded_links().begin(), network_.degraded_links().end());
  list_ports();
  std::vector<std::uint32_t> link_of_port(network_.port_count(), no_id);
  for (std::uint32_t i = 0; i < port_of_link_.size(); ++i) link_of_port[port_of_link_[i]] = i;
  draft_.links.reserve(port_of_link_.size());
  for (const PortId id : port_of_link_) {
    const Port& port = network_.port(id);
    draft_.links.push_back({link_of_port[port.peer], kinds_.number_of(kind_of_port(id))});
  }
}

std::vector<std::uint32_t> NetworkDrafter::machines_back_to_back() const {
  std::vector<std::uint32_t> found;
  if (routers_built_in_) return found;
  for (std::uint32_t object = 0; object < machine_object_.size(); ++object) {
    for (std::size_t i = draft_.first_link[object]; i < draft_.first_link[object + 1]; ++i) {
      if (network_.is_router(network_.port(network_.port(port_of_link_[i]).peer).device)) continue;
      found.push_back(object);
      break;
    }
  }
  return found;
}

/// `objects` of a grid: by point.
void NetworkDrafter::add_group(ObjectKind kind, std::vector<std::uint32_t> objects, GridShape shape) {
  ImageDraft::Group group;
  std::uint32_t height = 0;
  for (const std::uint32_t object : objects) height = std::max(height, draft_.objects[object].height);
  if (kind == ObjectKind::grid) {
    group.points.resize(objects.size());
    std::iota(group.points.begin(), group.points.end(), 0);
    std::ranges::sort(group.points, {}, [&](std::uint64_t point) { return objects[point]; });
  }
  std::ranges::sort(objects);
  group.object = static_cast<std::uint32_t>(draft_.objects.size());
  group.members = std::move(objects);
  group.shape = std::move(shape);
  draft_.groups.push_back(std::move(group));
  draft_.add_object({kind, height + 1}, "");
  draft_.first_link.push_back(draft_.links.size());
}

void NetworkDrafter::add_groups(const Hierarchy& hierarchy) {
  // By their members, whatever the order of discovery; then those above other groups.
  std::map<std::vector<std::uint32_t>, std::size_t> in_order;
  for (std::size_t i = 0; i < hierarchy.groups.size(); ++i) {
    std::vector<std::uint32_t> objects;
    for (const DeviceId router : hierarchy.groups[i].routers) objects.push_back(router_object_[router]);
    std::ranges::sort(objects);
    if (!objects.empty()) in_order[std::move(objects)] = i;
  }
  std::vector<std::uint32_t> object_of_group(hierarchy.groups.size());
  for (const auto& [members, i] : in_order) {
    const Hierarchy::Group& group = hierarchy.groups[i];
    object_of_group[i] = static_cast<std::uint32_t>(draft_.objects.size());
    std::vector<std::uint32_t> objects;
    for (const DeviceId router : group.routers) objects.push_back(router_object_[router]);
    GridShape shape{group.dimensions, group.periodic, std::vector<std::uint32_t>(group.dimensions.size()), true};
    add_group(group.kind, std::move(objects), std::move(shape));
  }
  for (const Hierarchy::Group& group : hierarchy.groups) {
    if (group.groups.empty()) continue;
    std::vector<std::uint32_t> objects;
    for (const std::size_t below : group.groups) objects.push_back(object_of_group[below]);
    add_group(group.kind, std::move(objects), {});
  }
  if (auto machines = machines_back_to_back(); !machines.empty()) {
    add_group(ObjectKind::graph, std::move(machines), {});
  }
}

ImageDraft NetworkDrafter::draft() {
  draft_.direct = network_.direct();
  draft_.warnings.assign(network_.warnings().begin(), network_.warnings().end());
  draft_.planes.assign(network_.planes().begin(), network_.planes().end());
  const Hierarchy hierarchy = hierarchy_of(network_);
  number_objects();
  add_machines();
  add_routers(hierarchy);
  add_links();
  add_groups(hierarchy);
  return std::move(draft_);
}

}  // namespace

ImageDraft draft_of(const Network& network) { return NetworkDrafter(network).draft(); }

}  // namespace ayatori
