#include "parts.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "ayatori/network/builder.hpp"
#include "ayatori/routing/describe_parts.hpp"

namespace ayatori {

namespace {

using Handle = NetworkBuilder::Handle;

Handle add_device(const Network& whole, DeviceId id, NetworkBuilder& builder) {
  const Device& device = whole.device(id);
  switch (device.kind) {
    case DeviceKind::router:
      break;
    case DeviceKind::aggregation:
      return builder.add_aggregation_node(whole.name(id), device.guid, device.port_count);
    case DeviceKind::nic:
      return builder.add_nic(whole.name(id), device.guid, device.port_count, whole.machine(device.machine).name,
                             device.rail);
  }
  return builder.add_router(whole.name(id), device.guid, device.port_count);
}

/// `devices`: routers first, so that the part has them in this order, too.
Result<NetworkPart> copy_part(const Network& whole, std::vector<DeviceId> devices, std::vector<Handle>& handle_of) {
  NetworkBuilder builder;
  for (const DeviceId id : devices) {
    handle_of[id] = add_device(whole, id, builder);
    for (const Port& port : whole.ports(id)) {
      if (port.guid != 0 || port.lid != 0) builder.set_port(handle_of[id], port.number, port.guid, port.lid, port.lmc);
    }
    const Port& management = whole.port(whole.port_id(id, 0));
    if (whole.is_router(id)) builder.set_port(handle_of[id], 0, management.guid, management.lid, management.lmc);
  }
  for (const DeviceId id : devices) {
    for (const Port& port : whole.ports(id)) {
      if (!port.connected()) continue;
      const Port& peer = whole.port(port.peer);
      if (handle_of[peer.device] == no_id) continue;
      if (auto plugged =
              builder.connect(handle_of[id], port.number, handle_of[peer.device], peer.number, port.rate, port.latency);
          !plugged) {
        return Failure(plugged.error());
      }
    }
  }
  for (const DeviceId id : devices) handle_of[id] = no_id;
  auto network = builder.build();
  if (!network) return Failure(network.error());
  return NetworkPart{std::move(*network), std::move(devices)};
}

/// The devices of each part: routers, then what is cabled to them.
std::vector<std::vector<DeviceId>> devices_by_part(const Network& network, const RouterGraph& graph) {
  const auto part_of = graph.part_numbers();
  std::vector<std::vector<DeviceId>> devices(graph.parts().size());
  for (DeviceId id = 0; id < network.device_count(); ++id) {
    if (network.is_router(id)) {
      devices[part_of[id]].push_back(id);
      continue;
    }
    for (const Port& port : network.ports(id)) {
      if (!port.connected() || !network.is_router(network.port(port.peer).device)) continue;
      auto& here = devices[part_of[network.port(port.peer).device]];
      if (here.back() != id) here.push_back(id);
    }
  }
  return devices;
}

std::string describe(const Network& network, std::span<const DeviceId> devices) {
  const auto is_router = [&](DeviceId id) { return network.is_router(id); };
  const auto routers = static_cast<std::size_t>(std::ranges::count_if(devices, is_router));
  std::vector<MachineId> hosts;
  for (const DeviceId id : devices) {
    if (network.device(id).kind == DeviceKind::nic) hosts.push_back(network.device(id).machine);
  }
  std::ranges::sort(hosts);
  const auto count = hosts.size() - std::ranges::unique(hosts).size();
  const std::string on = routers == 1 ? fmt::format("'{}'", network.name(devices.front()))
                                      : fmt::format("'{}' and {} more", network.name(devices.front()), routers - 1);
  return fmt::format("{} {} on {}", count == 0 ? "no" : std::to_string(count), count == 1 ? "host" : "hosts", on);
}

}  // namespace

bool is_in_one_part(const Network& network, const RouterGraph& graph) {
  const auto has_router = [&](PortId endpoint) { return network.router_of(endpoint) != no_id; };
  return graph.parts().size() == 1 && std::ranges::all_of(network.endpoints(), has_router);
}

Result<std::vector<NetworkPart>> parts_of(const Network& network, const RouterGraph& graph) {
  std::vector<Handle> handle_of(network.device_count(), no_id);
  std::vector<NetworkPart> parts;
  for (auto& devices : devices_by_part(network, graph)) {
    auto part = copy_part(network, std::move(devices), handle_of);
    if (!part) return Failure(part.error());
    parts.push_back(std::move(*part));
  }
  return parts;
}

std::vector<std::string> describe_parts(const Network& network) {
  const RouterGraph graph(network);
  std::vector<std::string> described;
  if (graph.size() == 0 || is_in_one_part(network, graph)) return described;
  for (const auto& devices : devices_by_part(network, graph)) described.push_back(describe(network, devices));
  std::size_t without_router = 0;
  for (const PortId endpoint : network.endpoints()) without_router += network.router_of(endpoint) == no_id ? 1 : 0;
  if (without_router > 0) described.push_back(fmt::format("{} ports that are cabled to no router", without_router));
  return described;
}

}  // namespace ayatori
