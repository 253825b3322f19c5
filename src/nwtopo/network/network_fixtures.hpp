#pragma once
/// \file
/// Networks that the synthetic sources cannot make: damaged ones, and one like a real cluster.

#include <fmt/core.h>

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "ayatori/network/builder.hpp"
#include "ayatori/network/network.hpp"
#include "ayatori/sources/source.hpp"

namespace ayatori {

inline Network built(NetworkBuilder& builder) {
  auto network = builder.build();
  if (!network) throw std::runtime_error(network.error().message);
  return std::move(*network);
}

inline Network opened(std::string_view source) {
  auto network = open_source(source);
  if (!network) throw std::runtime_error(network.error().message);
  return std::move(*network);
}

inline std::optional<DeviceId> device_named(const Network& network, std::string_view name) {
  for (DeviceId id = 0; id < network.device_count(); ++id) {
    if (network.name(id) == name) return id;
  }
  return std::nullopt;
}

inline void plug(NetworkBuilder& builder, NetworkBuilder::Handle a, int port_a, NetworkBuilder::Handle b, int port_b,
                 LinkRate rate = {4, LaneSpeed::hdr}) {
  auto plugged = builder.connect(a, static_cast<PortNumber>(port_a), b, static_cast<PortNumber>(port_b), rate);
  if (!plugged) throw std::runtime_error(plugged.error().message);
}

/// A one-port host, plugged into a router.
inline NetworkBuilder::Handle add_host(NetworkBuilder& builder, std::string_view name, NetworkBuilder::Handle router,
                                       int port, std::uint16_t rail = 0) {
  const auto guid = 0x0010'ffff'0000'0000 + (builder.device_count() << 8);
  const auto nic = builder.add_nic(fmt::format("{} HCA-{}", name, rail + 1), guid, 1, name, rail);
  plug(builder, nic, 1, router, port);
  return nic;
}

inline int first_free_port(const Network& network, DeviceId device) {
  for (const Port& port : network.ports(device).subspan(1)) {
    if (!port.connected()) return port.number;
  }
  throw std::runtime_error("no free port");
}

/// The same network without the cables that `keep` refuses (asked with the lower port id), and with so many more ports
/// on each router. Handles are the device ids.
inline NetworkBuilder copy_of(
    const Network& network, const std::function<bool(PortId)>& keep = [](PortId) { return true; },
    PortNumber more_ports = 0) {
  NetworkBuilder builder;
  for (DeviceId id = 0; id < network.device_count(); ++id) {
    const Device& device = network.device(id);
    if (device.kind == DeviceKind::router) {
      builder.add_router(network.name(id), device.guid, device.port_count + more_ports);
    }
    if (device.kind == DeviceKind::aggregation)
      builder.add_aggregation_node(network.name(id), device.guid, device.port_count);
    if (device.kind == DeviceKind::nic) {
      builder.add_nic(network.name(id), device.guid, device.port_count, network.machine(device.machine).name,
                      device.rail);
    }
  }
  for (PortId id = 0; id < network.port_count(); ++id) {
    const Port& port = network.port(id);
    if (!port.connected() || port.peer < id || !keep(id)) continue;
    const Port& peer = network.port(port.peer);
    plug(builder, port.device, port.number, peer.device, peer.number, port.rate);
  }
  return builder;
}

/// The same network without the last `cables` cables between routers A and B.
inline Network without_cables(const Network& network, std::string_view a, std::string_view b, int cables) {
  const DeviceId device_a = device_named(network, a).value();
  const DeviceId device_b = device_named(network, b).value();
  auto builder = copy_of(network, [&](PortId id) {
    const DeviceId from = network.port(id).device;
    const DeviceId to = network.port(network.port(id).peer).device;
    const bool between = (from == device_a && to == device_b) || (from == device_b && to == device_a);
    return !between || cables-- <= 0;
  });
  return built(builder);
}

/// A network like that of a real cluster, without damage: 31 leaves, 9 spines, 2 cables a pair, the rails of a host on
/// four leaves (the last 18 hosts have three, as if one leaf were not installed yet), an aggregation node on each
/// router.
inline NetworkBuilder dgx_like() {
  constexpr int leaves = 31;
  constexpr int spines = 9;
  constexpr int hosts_per_leaf = 18;
  NetworkBuilder builder;
  for (int leaf = 0; leaf < leaves; ++leaf) builder.add_router(fmt::format("LEAF-{:02}", leaf), 0x2000U + leaf, 65);
  for (int spine = 0; spine < spines; ++spine)
    builder.add_router(fmt::format("SPINE-{:02}", spine), 0x3000U + spine, 65);
  for (int leaf = 0; leaf < leaves; ++leaf) {
    for (int host = 0; host < hosts_per_leaf; ++host) {
      const std::string name = fmt::format("dgx-{:02}-c{:02}", leaf / 4, host);
      add_host(builder, name, static_cast<NetworkBuilder::Handle>(leaf), 1 + host,
               static_cast<std::uint16_t>(leaf % 4));
    }
    for (int spine = 0; spine < spines; ++spine) {
      for (int cable = 0; cable < 2; ++cable) {
        plug(builder, static_cast<NetworkBuilder::Handle>(leaf), 33 + 2 * spine + cable,
             static_cast<NetworkBuilder::Handle>(leaves + spine), 1 + 2 * leaf + cable);
      }
    }
  }
  for (NetworkBuilder::Handle router = 0; router < leaves + spines; ++router) {
    const auto engine = builder.add_aggregation_node("Mellanox Technologies Aggregation Node", 0x4000U + router, 1);
    plug(builder, engine, 1, router, 65);
  }
  return builder;
}

}  // namespace ayatori
