#pragma once
/// \file
/// For tests: what ibnetdiscover's format keeps of a Network, as text. Two networks are equal if their texts are.

#include <fmt/core.h>

#include <iterator>
#include <string>

#include "ayatori/network/network.hpp"

namespace ayatori {

inline std::string port_text(const Network& network, PortId id) {
  const Port& port = network.port(id);
  std::string text = fmt::format("  {} {:#x} lid {} lmc {} {}", port.number, port.guid, port.lid, port.lmc,
                                 port.rate.known() ? to_string(port.rate) : "?");
  if (port.connected()) {
    text += fmt::format(" -> {} port {}", network.port(port.peer).device, network.port(port.peer).number);
  }
  return text + "\n";
}

inline std::string device_text(const Network& network, DeviceId id) {
  const Device& node = network.device(id);
  std::string text = fmt::format("{} kind {} '{}' {:#x} system {:#x} model {} {} plane {}", id,
                                 static_cast<int>(node.kind), network.name(id), node.guid, node.system_guid,
                                 node.vendor_id, node.model_id, network.planes()[node.plane].name);
  if (node.machine != no_id) {
    const Machine& machine = network.machine(node.machine);
    text += fmt::format(" machine {} {} rail {}", machine.name, machine.named ? "named" : "unnamed", node.rail);
  }
  text += "\n";
  for (const Port& port : network.ports(id)) text += port_text(network, network.port_id(id, port.number));
  return text;
}

inline std::string network_text(const Network& network) {
  std::string text;
  for (DeviceId id = 0; id < network.device_count(); ++id) text += device_text(network, id);
  return text;
}

}  // namespace ayatori
