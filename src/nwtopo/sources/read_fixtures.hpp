#pragma once
/// \file
/// What tests of sources ask of that which was read.

#include <fmt/core.h>

#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

#include "ayatori/base/error.hpp"
#include "ayatori/network/network.hpp"

namespace ayatori {

inline Network made(Result<Network> read) {
  if (!read) throw std::runtime_error(read.error().message);
  return std::move(*read);
}

inline std::string error_of(const Result<Network>& read) { return read ? "made" : read.error().message; }

/// "leaf1 port 1 -> n1 eth0 port 1", each cable from its router, or its lower node.
inline std::set<std::string> cables(const Network& network) {
  std::set<std::string> all;
  for (PortId id = 0; id < network.port_count(); ++id) {
    if (network.port(id).connected() && id < network.port(id).peer) all.insert(network.describe_link(id));
  }
  return all;
}

/// "RS3 port 1", the peer of a port of a router.
inline std::string peer_of(const Network& network, std::string_view router, PortNumber number) {
  for (DeviceId id = 0; id < network.router_count(); ++id) {
    if (network.name(id) != router) continue;
    const Port& port = network.ports(id)[number];
    if (!port.connected()) return "nothing";
    return fmt::format("{} port {}", network.name(network.port(port.peer).device), network.port(port.peer).number);
  }
  return "no router";
}

}  // namespace ayatori
