#include "ayatori/network/builder.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "ayatori/base/text.hpp"
#include "degraded_links.hpp"

namespace ayatori {

void NetworkBuilder::begin_plane(std::string name, PlaneUse use) { planes_.push_back({std::move(name), use}); }

NetworkBuilder::Handle NetworkBuilder::add_device(DeviceKind kind, std::string_view name, Guid guid,
                                                  PortNumber port_count) {
  if (planes_.empty()) begin_plane("infiniband");
  PendingDevice pending;
  pending.device.kind = kind;
  pending.device.guid = guid;
  pending.device.port_count = port_count;
  pending.device.plane = static_cast<PlaneId>(planes_.size() - 1);
  pending.name = name;
  pending.first_port = ports_.size();
  ports_.resize(ports_.size() + port_count + 1U);
  devices_.push_back(std::move(pending));
  return static_cast<Handle>(devices_.size() - 1);
}

NetworkBuilder::Handle NetworkBuilder::add_router(std::string_view name, Guid guid, PortNumber port_count) {
  return add_device(DeviceKind::router, name, guid, port_count);
}

NetworkBuilder::Handle NetworkBuilder::add_aggregation_node(std::string_view name, Guid guid, PortNumber port_count) {
  return add_device(DeviceKind::aggregation, name, guid, port_count);
}

NetworkBuilder::Handle NetworkBuilder::add_nic(std::string_view name, Guid guid, PortNumber port_count,
                                               std::string_view machine, std::uint16_t rail) {
  const Handle handle = add_device(DeviceKind::nic, name, guid, port_count);
  devices_[handle].device.machine = machine_named(machine, true);
  devices_[handle].device.rail = rail;
  return handle;
}

NetworkBuilder::Handle NetworkBuilder::add_unnamed_nic(std::string_view name, Guid guid, PortNumber port_count) {
  const Handle handle = add_device(DeviceKind::nic, name, guid, port_count);
  devices_[handle].device.machine = machine_named(fmt::format("hca-{:#018x}", guid), false);
  return handle;
}

MachineId NetworkBuilder::machine_named(std::string_view name, bool named) {
  const auto [entry, is_new] = machine_by_name_.try_emplace(std::string(name), machines_.size());
  if (is_new) machines_.push_back({std::string(name), named, {}});
  return entry->second;
}

void NetworkBuilder::set_system_guid(Handle device, Guid guid) { devices_[device].device.system_guid = guid; }

void NetworkBuilder::set_model(Handle device, std::uint32_t vendor_id, std::uint32_t model_id) {
  devices_[device].device.vendor_id = vendor_id;
  devices_[device].device.model_id = model_id;
}

void NetworkBuilder::set_max_rate(Handle device, PortNumber number, LinkRate rate) {
  if (PendingPort* port = slot(device, number)) port->max_rate = rate;
}

NetworkBuilder::PendingPort* NetworkBuilder::slot(Handle device, PortNumber number) {
  if (number > devices_[device].device.port_count) return nullptr;
  return &ports_[devices_[device].first_port + number];
}

void NetworkBuilder::set_port(Handle device, PortNumber number, Guid guid, Lid lid, std::uint8_t lmc) {
  if (PendingPort* port = slot(device, number)) {
    if (guid != 0) port->guid = guid;
    port->lid = lid;
    port->lmc = lmc;
  }
}

Result<> NetworkBuilder::connect(Handle a, PortNumber port_a, Handle b, PortNumber port_b, LinkRate rate,
                                 std::uint32_t latency) {
  const auto plug = [&](Handle from, PortNumber number, Handle to, PortNumber to_number) -> Result<> {
    PendingPort* port = number == 0 ? nullptr : slot(from, number);
    if (port == nullptr) {
      return fail("'{}' has no port {}: its ports are 1 to {}", devices_[from].name, number,
                  devices_[from].device.port_count);
    }
    const bool free = port->peer == no_id;
    if (!free && (port->peer != to || port->peer_port != to_number)) {
      return fail("'{}' port {} has two cables: to '{}' port {} and to '{}' port {}", devices_[from].name, number,
                  devices_[port->peer].name, port->peer_port, devices_[to].name, to_number);
    }
    port->peer = to;
    port->peer_port = to_number;
    if (rate.known()) port->rate = rate;
    if (latency != 0) port->latency = latency;
    return {};
  };
  if (a == b && port_a == port_b) return fail("'{}' port {} is cabled to itself", devices_[a].name, port_a);
  if (auto plugged = plug(a, port_a, b, port_b); !plugged) return plugged;
  return plug(b, port_b, a, port_a);
}

void NetworkBuilder::add_background(Handle from, PortNumber from_port, Handle to, PortNumber to_port, LinkRate rate) {
  background_.push_back({from, to, from_port, to_port, rate});
}

void NetworkBuilder::set_direct() { direct_ = true; }

Result<Network> NetworkBuilder::build() {
  if (devices_.empty()) return fail("a network without any node");
  Network network = take_network();
  if (auto checked = check_direct(network); !checked) return Failure(checked.error());
  if (auto checked = check_background(network); !checked) return Failure(checked.error());
  if (auto checked = check_lids(network); !checked) return Failure(checked.error());
  if (auto indexed = index_guids(network); !indexed) return Failure(indexed.error());
  find_shared_names(network);
  give_default_guids(network);
  put_in_order(network);
  network.degraded_ = find_degraded_links(network);
  return network;
}

Network NetworkBuilder::take_network() {
  const std::vector<Handle> order = routers_first();
  std::vector<DeviceId> id_of(order.size());
  for (DeviceId id = 0; id < order.size(); ++id) id_of[order[id]] = id;

  Network network;
  network.ports_.reserve(ports_.size());
  for (const Handle handle : order) append_device(devices_[handle], network);
  for (Handle handle = 0; handle < devices_.size(); ++handle) append_cables(handle, id_of, network);
  append_background(id_of, network);
  network.planes_ = std::move(planes_);
  network.warnings_ = std::move(warnings_);
  network.machines_ = std::move(machines_);
  network.machine_by_name_ = std::move(machine_by_name_);
  network.direct_ = direct_;
  network.declared_grid_ = std::move(declared_grid_);
  *this = NetworkBuilder();
  return network;
}

std::vector<NetworkBuilder::Handle> NetworkBuilder::routers_first() const {
  std::vector<Handle> order(devices_.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_partition(order.begin(), order.end(),
                        [&](Handle handle) { return devices_[handle].device.kind == DeviceKind::router; });
  return order;
}

void NetworkBuilder::append_device(const PendingDevice& pending, Network& network) const {
  const auto id = static_cast<DeviceId>(network.devices_.size());
  const bool is_router = pending.device.kind == DeviceKind::router;
  Device device = pending.device;
  device.first_slot = static_cast<PortId>(network.ports_.size());
  for (unsigned number = 0; number <= device.port_count; ++number) {
    const PendingPort& from = ports_[pending.first_port + number];
    Port port;
    port.device = id;
    port.number = static_cast<PortNumber>(number);
    port.guid = from.guid == 0 && is_router && number == 0 ? device.guid : from.guid;
    port.lid = from.lid;
    port.lmc = from.lmc;
    port.rate = from.rate;
    port.max_rate = from.max_rate;
    port.latency = from.latency;
    network.ports_.push_back(port);
  }
  network.name_pool_ += pending.name;
  network.name_ends_.push_back(static_cast<std::uint32_t>(network.name_pool_.size()));
  if (is_router) ++network.router_count_;
  network.devices_.push_back(device);
}

void NetworkBuilder::append_cables(Handle handle, std::span<const DeviceId> id_of, Network& network) const {
  const PendingDevice& pending = devices_[handle];
  for (unsigned number = 1; number <= pending.device.port_count; ++number) {
    const PendingPort& from = ports_[pending.first_port + number];
    if (from.peer == no_id) continue;
    const PortId id = network.port_id(id_of[handle], static_cast<PortNumber>(number));
    network.ports_[id].peer = network.port_id(id_of[from.peer], from.peer_port);
    if (id < network.ports_[id].peer) ++network.link_count_;
  }
}

void NetworkBuilder::append_background(std::span<const DeviceId> id_of, Network& network) const {
  const auto port = [&](Handle device, PortNumber number) {
    return number > devices_[device].device.port_count ? no_id : network.port_id(id_of[device], number);
  };
  for (const PendingFlow& flow : background_) {
    network.background_.push_back({port(flow.from, flow.from_port), port(flow.to, flow.to_port), flow.rate});
  }
}

Result<> NetworkBuilder::check_background(const Network& network) {
  const auto nic_of = [&](PortId port) -> const Device* {
    if (port == no_id || !network.port(port).connected()) return nullptr;
    const Device& device = network.device(network.port(port).device);
    return device.kind == DeviceKind::nic ? &device : nullptr;
  };
  for (const BackgroundFlow& flow : network.background_) {
    const Device* const from = nic_of(flow.from);
    const Device* const to = nic_of(flow.to);
    if (from == nullptr || to == nullptr) return fail("background traffic has a connected port of a NIC at each end");
    if (from->machine == to->machine) return fail("background traffic is between two machines");
    if (from->plane != to->plane) return fail("background traffic is on one plane");
    if (!flow.rate.known()) return fail("background traffic has a rate");
  }
  return {};
}

Result<> NetworkBuilder::check_direct(const Network& network) {
  if (!network.direct()) return {};
  for (DeviceId id = 0; id < network.device_count(); ++id) {
    const auto leads_across = [&](const Port& port) {
      return port.connected() && network.is_router(id) != network.is_router(network.port(port.peer).device);
    };
    if (std::ranges::count_if(network.ports(id), leads_across) != 1) {
      return fail("'{}' breaks a direct network: it needs one cable between its NIC and its router", network.name(id));
    }
  }
  return {};
}

Result<> NetworkBuilder::index_guids(Network& network) {
  std::unordered_map<Guid, DeviceId> node_by_guid;
  node_by_guid.reserve(network.device_count());
  network.port_by_guid_.reserve(network.device_count() * 2);
  for (DeviceId id = 0; id < network.device_count(); ++id) {
    const Guid guid = network.device(id).guid;
    if (guid == 0) continue;
    const auto [other, is_new] = node_by_guid.try_emplace(guid, id);
    if (!is_new)
      return fail("duplicate GUID {:#018x}: devices '{}' and '{}'", guid, network.name(other->second),
                  network.name(id));
  }
  for (PortId id = 0; id < network.port_count(); ++id) {
    const Port& port = network.port(id);
    const bool owns_guid = network.is_router(port.device) ? port.number == 0 : port.number != 0;
    if (!owns_guid || port.guid == 0) continue;
    const auto [other, is_new] = network.port_by_guid_.try_emplace(port.guid, id);
    if (!is_new) {
      return fail("duplicate port GUID {:#018x}: '{}' port {} and '{}' port {}", port.guid,
                  network.name(network.port(other->second).device), network.port(other->second).number,
                  network.name(port.device), port.number);
    }
  }
  return {};
}

void NetworkBuilder::find_shared_names(Network& network) {
  network.shares_name_.resize(network.device_count());
  std::unordered_map<std::string_view, DeviceId> first;
  first.reserve(network.device_count());
  for (DeviceId id = 0; id < network.device_count(); ++id) {
    const auto [known, is_new] = first.try_emplace(network.name(id), id);
    if (is_new) continue;
    network.shares_name_[known->second] = true;
    network.shares_name_[id] = true;
  }
}

void NetworkBuilder::give_default_guids(Network& network) {
  for (Port& port : network.ports_) {
    const Device& device = network.devices_[port.device];
    if (device.kind == DeviceKind::router || port.number == 0 || port.guid != 0 || device.guid == 0) continue;
    const Guid guid = device.guid + port.number;
    const auto id = static_cast<PortId>(&port - network.ports_.data());
    // This GUID is only a guess: a GUID that the source reported for another port takes precedence.
    if (network.port_by_guid_.try_emplace(guid, id).second) port.guid = guid;
  }
  // A device GUID that is not the GUID of any port finds the device's first cabled port.
  for (DeviceId id = 0; id < network.device_count(); ++id) {
    const auto ports = network.ports(id);
    const auto cabled = std::ranges::find_if(ports, &Port::connected);
    if (network.device(id).guid == 0 || cabled == ports.end()) continue;
    network.port_by_guid_.try_emplace(network.device(id).guid, network.port_id(id, cabled->number));
  }
}

Result<> NetworkBuilder::check_lids(const Network& network) {
  constexpr std::size_t lid_space = std::size_t{last_unicast_lid} + 1;
  std::vector<PortId> owner(lid_space * network.planes().size(), no_id);  // by plane, then LID
  for (PortId id = 0; id < network.port_count(); ++id) {
    const Port& port = network.port(id);
    if (port.lid == 0) continue;
    if (port.lmc > max_lmc || port.lid + (1U << port.lmc) - 1 > last_unicast_lid) {
      return fail("'{}' port {}: LID {:#06x} with LMC {} is not a range of unicast LIDs", network.name(port.device),
                  port.number, port.lid, port.lmc);
    }
    for (std::uint32_t lid = port.lid; lid < port.lid + (1U << port.lmc); ++lid) {
      PortId& taken = owner[network.device(port.device).plane * lid_space + lid];
      if (taken != no_id) {
        return fail("LID {:#06x} is given twice: to '{}' port {} and to '{}' port {}", lid,
                    network.name(network.port(taken).device), network.port(taken).number, network.name(port.device),
                    port.number);
      }
      taken = id;
    }
  }
  return {};
}

void NetworkBuilder::put_in_order(Network& network) {
  for (const DeviceId router : network.routers_in_order()) {
    for (const Port& port : network.ports(router)) {
      if (!port.connected()) continue;
      const DeviceKind kind = network.device(network.port(port.peer).device).kind;
      if (kind == DeviceKind::nic) network.endpoints_.push_back(port.peer);
      if (kind == DeviceKind::aggregation) network.aggregation_ports_.push_back(port.peer);
    }
  }
  for (DeviceId id = static_cast<DeviceId>(network.router_count()); id < network.device_count(); ++id) {
    const Device& device = network.device(id);
    if (device.kind != DeviceKind::nic) continue;
    for (const Port& port : network.ports(id)) {
      const PortId here = network.port_id(id, port.number);
      if (!port.connected()) continue;
      network.machines_[device.machine].endpoints.push_back(here);
      // Two machines cabled back to back: no router determines their order, so it is that of their devices.
      if (network.router_of(here) == no_id) network.endpoints_.push_back(here);
    }
  }
  for (Machine& machine : network.machines_) {
    std::sort(machine.endpoints.begin(), machine.endpoints.end(), [&](PortId a, PortId b) {
      return std::tuple(network.device(network.port(a).device).rail, a) <
             std::tuple(network.device(network.port(b).device).rail, b);
    });
  }

  std::vector<std::size_t> position(network.port_count(), network.port_count());
  for (std::size_t i = 0; i < network.endpoints_.size(); ++i) position[network.endpoints_[i]] = i;
  std::vector<std::size_t> first(network.machines_.size(), network.port_count());
  for (MachineId id = 0; id < network.machines_.size(); ++id) {
    if (!network.machines_[id].endpoints.empty()) first[id] = position[network.machines_[id].endpoints.front()];
  }
  network.machine_order_.resize(network.machines_.size());
  std::iota(network.machine_order_.begin(), network.machine_order_.end(), 0);
  std::sort(network.machine_order_.begin(), network.machine_order_.end(), [&](MachineId a, MachineId b) {
    if (first[a] != first[b]) return first[a] < first[b];
    return natural_less(network.machines_[a].name, network.machines_[b].name);
  });
}

}  // namespace ayatori
