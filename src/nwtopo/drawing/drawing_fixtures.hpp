#pragma once
/// \file
/// What tests of drawings share.

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

#include "ayatori/drawing/drawing.hpp"
#include "ayatori/network/network.hpp"

namespace ayatori::drawing {

inline Drawing drawn(const Network& network, const DrawingLimits& limits = {}) {
  auto drawing = draw(network, limits);
  if (!drawing) throw std::runtime_error(drawing.error().message);
  return std::move(*drawing);
}

/// Every cable between two different routers, by its lower port id.
inline std::set<PortId> cables_between_routers(const Network& network) {
  std::set<PortId> cables;
  for (PortId id = 0; id < network.port_count(); ++id) {
    const Port& port = network.port(id);
    if (!port.connected() || !network.is_router(port.device)) continue;
    const DeviceId peer = network.port(port.peer).device;
    if (network.is_router(peer) && peer != port.device) cables.insert(std::min(id, port.peer));
  }
  return cables;
}

}  // namespace ayatori::drawing
