#pragma once
/// \file
/// For tests: all that the accessors of a Network return, as text. Two networks are equal if their texts are.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>

#include "ayatori/network/network.hpp"

namespace ayatori {

inline std::string port_line(const Network& network, PortId id) {
  const Port& port = network.port(id);
  return fmt::format("  port {} of node {}: peer {} guid {:#x} lid {} lmc {} rate {}x{} {} max {} latency {}\n",
                     port.number, port.device, port.peer, port.guid, port.lid, port.lmc, port.rate.width,
                     static_cast<int>(port.rate.speed), port.rate.megabits, to_string(port.max_rate), port.latency);
}

inline std::string device_line(const Network& network, DeviceId id) {
  const Device& node = network.device(id);
  return fmt::format(
      "node {} kind {} '{}' ports {} plane {} machine {} rail {} slot {} guid {:#x} system {:#x} model {} {}\n", id,
      static_cast<int>(node.kind), network.name(id), node.port_count, node.plane, node.machine, node.rail,
      node.first_slot, node.guid, node.system_guid, node.vendor_id, node.model_id);
}

inline std::string network_text(const Network& network) {
  std::string text =
      fmt::format("routers {} links {} direct {}\n", network.router_count(), network.link_count(), network.direct());
  if (const auto& grid = network.declared_grid()) {
    text += fmt::format("grid {} periodic {}\n", fmt::join(grid->dimensions, " "), fmt::join(grid->periodic, " "));
  }
  for (const Plane& plane : network.planes()) {
    text += fmt::format("plane '{}' use {}\n", plane.name, plane.use.bits());
  }
  for (DeviceId id = 0; id < network.device_count(); ++id) text += device_line(network, id);
  for (PortId id = 0; id < network.port_count(); ++id) text += port_line(network, id);
  for (const Machine& machine : network.machines()) {
    text += fmt::format("machine '{}' named {} endpoints {} found {}\n", machine.name, machine.named,
                        fmt::join(machine.endpoints, " "), network.find_machine(machine.name).value_or(no_id));
  }
  for (PortId id = 0; id < network.port_count(); ++id) {
    const Guid guid = network.port(id).guid;
    if (guid != 0) text += fmt::format("guid {:#x} is {}\n", guid, network.find_guid(guid).value_or(no_id));
  }
  for (DeviceId id = 0; id < network.device_count(); ++id) {
    const Guid guid = network.device(id).guid;
    if (guid != 0) text += fmt::format("node guid {:#x} is {}\n", guid, network.find_guid(guid).value_or(no_id));
  }
  return text + fmt::format("endpoints {}\naggregation {}\norder {}\ndegraded {}\n",
                            fmt::join(network.endpoints(), " "), fmt::join(network.aggregation_ports(), " "),
                            fmt::join(network.machines_in_order(), " "), fmt::join(network.degraded_links(), " "));
}

}  // namespace ayatori
