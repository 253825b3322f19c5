#include "ayatori/network/plane_network.hpp"

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

}  // namespace

Result<Network> network_of_plane(const Network& network, PlaneId plane) {
  if (plane >= network.planes().size()) return fail("the network has no plane {}", plane);
  NetworkBuilder builder;
  builder.begin_plane(network.planes()[plane].name);
  std::vector<NetworkBuilder::Handle> handles(network.device_count(), no_id);
  for (DeviceId id = 0; id < network.device_count(); ++id) {
    if (network.device(id).plane != plane) continue;
    handles[id] = add_device(network, id, builder);
    set_details(network, id, handles[id], builder);
  }
  for (PortId id = 0; id < network.port_count(); ++id) {
    const Port& port = network.port(id);
    if (!port.connected() || port.peer < id || handles[port.device] == no_id) continue;
    const Port& peer = network.port(port.peer);
    auto connected =
        builder.connect(handles[port.device], port.number, handles[peer.device], peer.number, port.rate, port.latency);
    if (!connected) return Failure(connected.error());
  }
  if (network.direct()) builder.set_direct();
  if (network.told_grid() && network.planes().size() == 1) builder.set_grid(*network.told_grid());
  return builder.build();
}

}  // namespace ayatori
