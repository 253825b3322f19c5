#pragma once
/// \file
/// The parts of a network that no cables join: islands, several planes, leaves that lost their uplinks. Routes are made
/// for each of them alone.

#include <span>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/network/network.hpp"
#include "ayatori/network/router_graph.hpp"

namespace ayatori {

/// A part with at least one router, as a network of its own.
struct NetworkPart {
  Network network;
  std::vector<DeviceId> devices;  ///< by device of the part: its id in the whole network

  /// The port of the whole network that is this port of the part.
  [[nodiscard]] PortId in_whole(const Network& whole, PortId port) const {
    return whole.port_id(devices[network.port(port).device], network.port(port).number);
  }
};

/// True if cables join all routers, and each endpoint is cabled to one of them.
[[nodiscard]] bool is_in_one_part(const Network& network, const RouterGraph& graph);

/// The parts by their first routers. A NIC whose ports are cabled to two parts is in both.
[[nodiscard]] Result<std::vector<NetworkPart>> parts_of(const Network& network, const RouterGraph& graph);

}  // namespace ayatori
