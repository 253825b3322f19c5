#include "ayatori/network/plane_network.hpp"

#include <algorithm>
#include <vector>

#include "ayatori/network/builder.hpp"

namespace ayatori {

namespace {

NetworkBuilder::Handle add_device(const Network& network, DeviceId id, NetworkBuilder& builder) {
  const Device& device = network.device(id);
  if (device.kind == DeviceKind::router) return builder.add_router(network.name(id), device.guid, device.port_count);
  if (device.kind == DeviceKind::aggregation) {
    return builder.add_aggregation_node(network.name(id), device.guid, device.port_count);
  }
  const Machine& machine = network.machine(device.machine);
  if (!machine.named) return builder.add_unnamed_nic(network.name(id), device.guid, device.port_count);
  return builder.add_nic(network.name(id), device.guid, device.port_count, machine.name, device.rail);
}

void set_details(const Network& network, DeviceId id, NetworkBuilder::Handle handle, NetworkBuilder& builder) {
  const Device& device = network.device(id);
  builder.set_system_guid(handle, device.system_guid);
  builder.set_model(handle, device.vendor_id, device.model_id);
  for (const Port& port : network.ports(id)) {
    if (port.guid != 0 || port.lid != 0) builder.set_port(handle, port.number, port.guid, port.lid, port.lmc);
    if (port.max_rate.known()) builder.set_max_rate(handle, port.number, port.max_rate);
  }
}

/// Adds the devices of a plane; handles are by device.
void add_plane(const Network& network, PlaneId plane, NetworkBuilder& builder,
               std::vector<NetworkBuilder::Handle>& handles) {
  builder.begin_plane(network.planes()[plane].name, network.planes()[plane].use);
  for (DeviceId id = 0; id < network.device_count(); ++id) {
    if (network.device(id).plane != plane) continue;
    handles[id] = add_device(network, id, builder);
    set_details(network, id, handles[id], builder);
  }
}

/// `kept` by plane.
Result<> add_kept(const Network& network, const std::vector<bool>& kept, NetworkBuilder& builder) {
  std::vector<NetworkBuilder::Handle> handles(network.device_count(), no_id);
  for (PlaneId plane = 0; plane < network.planes().size(); ++plane) {
    if (kept[plane]) add_plane(network, plane, builder, handles);
  }
  for (PortId id = 0; id < network.port_count(); ++id) {
    const Port& port = network.port(id);
    if (!port.connected() || port.peer < id || handles[port.device] == no_id) continue;
    const Port& peer = network.port(port.peer);
    auto connected =
        builder.connect(handles[port.device], port.number, handles[peer.device], peer.number, port.rate, port.latency);
    if (!connected) return Failure(connected.error());
  }
  for (const BackgroundFlow& flow : network.background()) {
    const Port& from = network.port(flow.from);
    const Port& to = network.port(flow.to);
    if (handles[from.device] == no_id) continue;
    builder.add_background(handles[from.device], from.number, handles[to.device], to.number, flow.rate);
  }
  if (network.direct()) builder.set_direct();
  if (network.declared_grid() && network.planes().size() == 1) builder.set_grid(*network.declared_grid());
  return {};
}

Result<Network> planes_of(const Network& network, const std::vector<bool>& kept, bool with_warnings) {
  NetworkBuilder builder;
  if (auto added = add_kept(network, kept, builder); !added) return Failure(added.error());
  if (with_warnings) {
    for (const std::string& warning : network.warnings()) builder.add_warning(warning);
  }
  auto found = builder.build();
  if (found) found->add_aliases_of(network);
  return found;
}

std::string_view word_of(Purpose purpose) {
  for (const auto& [word, known] : named_purposes) {
    if (known == purpose) return word;
  }
  return purpose == Purpose::sockets ? "sockets" : "anything";
}

}  // namespace

Result<Network> network_of_plane(const Network& network, PlaneId plane) {
  if (plane >= network.planes().size()) return fail("the network has no plane {}", plane);
  std::vector<bool> kept(network.planes().size());
  kept[plane] = true;
  return planes_of(network, kept, false);
}

Result<Network> network_for(Network network, Purpose purpose) {
  std::vector<bool> kept;
  for (const Plane& plane : network.planes()) kept.push_back(plane.use.carries(purpose));
  if (std::ranges::find(kept, false) == kept.end()) return network;
  if (std::ranges::find(kept, true) == kept.end()) return fail("no plane is for {}", word_of(purpose));
  return planes_of(network, kept, true);
}

}  // namespace ayatori
