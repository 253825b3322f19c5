#pragma once
/// \file
/// Networks whose shape is hidden, and the definition of a grid to compare with.

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "ayatori/base/random.hpp"
#include "ayatori/network/router_graph.hpp"
#include "ayatori/network/shape.hpp"
#include "network_fixtures.hpp"

namespace ayatori {

/// The same network with other names for its routers, its devices in another order and its cables in other ports.
inline Network relabelled(const Network& network, std::uint64_t seed) {
  Random random(seed);
  std::vector<DeviceId> order(network.device_count());
  for (DeviceId id = 0; id < order.size(); ++id) order[id] = id;
  random.shuffle(std::span(order));
  std::vector<DeviceId> new_number(network.router_count());
  for (DeviceId id = 0; id < new_number.size(); ++id) new_number[id] = id;
  random.shuffle(std::span(new_number));
  NetworkBuilder builder;
  std::vector<NetworkBuilder::Handle> handle(network.device_count());
  std::vector<std::vector<int>> ports(network.device_count());
  for (const DeviceId id : order) {
    const Device& device = network.device(id);
    handle[id] = network.is_router(id)
                     ? builder.add_router(fmt::format("r{}", new_number[id]), device.guid, device.port_count)
                     : builder.add_nic(network.name(id), device.guid, device.port_count,
                                       network.machine(device.machine).name, 0);
    for (int number = 0; number <= device.port_count; ++number) ports[id].push_back(number);
    random.shuffle(std::span(ports[id]).subspan(1));
  }
  for (PortId id = 0; id < network.port_count(); ++id) {
    const Port& port = network.port(id);
    if (!port.connected() || port.peer < id) continue;
    const Port& peer = network.port(port.peer);
    plug(builder, handle[port.device], ports[port.device][port.number], handle[peer.device],
         ports[peer.device][peer.number]);
  }
  return built(builder);
}

/// What is irregular, in words.
inline std::vector<std::string> lines_of(const Shape& shape) {
  std::vector<std::string> lines;
  for (const Irregularity& irregular : shape.irregularities) lines.push_back(irregular.text);
  return lines;
}

/// Points are neighbours if and only if their routers are cabled.
inline void expect_places_fit(const Network& network, const Shape& shape) {
  ASSERT_EQ(shape.kind, ShapeKind::grid);
  const RouterGraph graph(network);
  ASSERT_EQ(shape.at.size(), graph.size());
  const auto steps_apart = [&](std::size_t a, std::size_t b) {
    std::size_t steps = 0;
    for (std::size_t i = shape.dimensions.size(); i-- > 0;) {
      const std::size_t length = shape.dimensions[i];
      const std::size_t gap = a % length > b % length ? a % length - b % length : b % length - a % length;
      steps += shape.periodic[i] ? std::min(gap, length - gap) : gap;
      a /= length;
      b /= length;
    }
    return steps;
  };
  for (std::size_t a = 0; a < shape.at.size(); ++a) {
    for (std::size_t b = 0; b < shape.at.size(); ++b) {
      EXPECT_EQ(graph.joins(shape.at[a], shape.at[b]), steps_apart(a, b) == 1) << shape.summary << " " << a << " " << b;
    }
  }
}

}  // namespace ayatori
