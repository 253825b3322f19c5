#pragma once
/// \file
/// For tests: random InfiniBand subnets, and their `ibnetdiscover -p` reports.

#include <fmt/core.h>

#include <string>
#include <vector>

#include "ayatori/base/random.hpp"
#include "ayatori/network/builder.hpp"

namespace ayatori {

/// Connected; every adapter is cabled; parallel cables, loops, dual-port HCAs, several rails a host, LIDs with LMC,
/// names with any byte that fits into a line, links of unknown and of lower rate. `plain`: only what a ports report can
/// express (one port an adapter, with the GUID of its node; LMC 0; no system GUIDs; no two ports without a cable).
class RandomSubnet {
 public:
  RandomSubnet(std::uint64_t seed, bool plain) : random_(seed), plain_(plain) {}

  Network build() {
    const auto router_count = 1 + random_.below(6);
    for (std::size_t i = 0; i < router_count; ++i) add_router(i);
    const auto host_count = random_.below(8);
    for (std::size_t i = 0; i < host_count; ++i) add_host(i);
    for (std::size_t i = random_.below(3); i > 0; --i) add_unnamed();
    for (std::size_t i = random_.below(3); i > 0; --i) add_aggregation_node();
    for (std::size_t i = random_.below(12); i > 0; --i) add_cable(any_router(), any_router());
    auto network = builder_.build();
    if (!network) throw std::runtime_error(network.error().message);
    return *std::move(network);
  }

 private:
  static constexpr unsigned router_ports = 60;
  using Handle = NetworkBuilder::Handle;

  Guid new_guid() { return guid_ += 0x10 + random_.below(100); }

  std::string odd_name(std::string_view stem, std::size_t number) {
    constexpr std::string_view odd = "\";#='\\(),[]\xC3\xA9\xFF<&@%{} ";
    std::string name = fmt::format("{}{}", stem, number);
    for (std::size_t i = random_.below(6); i > 0; --i) name += odd[random_.below(odd.size())];
    return name + "x";
  }

  Lid take_lids(unsigned lmc) {
    const unsigned step = 1U << lmc;
    next_lid_ = (next_lid_ + step - 1) / step * step;
    const auto lid = static_cast<Lid>(next_lid_);
    next_lid_ += step;
    return lid;
  }

  void set_port(Handle node, PortNumber number, Guid guid) {
    if (!has_lids_) return builder_.set_port(node, number, guid, 0, 0);
    const auto lmc = plain_ ? 0 : random_.below(4);
    builder_.set_port(node, number, guid, take_lids(static_cast<unsigned>(lmc)), static_cast<std::uint8_t>(lmc));
  }

  void set_system_guid(Handle node) {
    if (!plain_ && random_.below(3) > 0) builder_.set_system_guid(node, new_guid());
    if (!plain_ && random_.below(3) > 0) builder_.set_model(node, 0x2c9, static_cast<std::uint32_t>(random_.below(9)));
  }

  void add_router(std::size_t number) {
    const Guid guid = new_guid();
    const Handle router = builder_.add_router(odd_name("sw", number), guid, router_ports);
    free_port_.push_back(1);
    set_port(router, 0, plain_ || random_.below(2) == 0 ? 0 : guid + 1);
    set_system_guid(router);
    if (router > 0) add_cable(router, static_cast<Handle>(random_.below(router)));
  }

  Handle any_router() { return static_cast<Handle>(random_.below(free_port_.size())); }

  LinkRate any_rate() {
    constexpr std::uint8_t widths[] = {1, 2, 4, 8, 12};
    if (random_.below(8) == 0) return {};
    return {widths[random_.below(5)], static_cast<LaneSpeed>(1 + random_.below(9))};
  }

  PortNumber take_port(Handle router) { return static_cast<PortNumber>(free_port_[router]++); }

  void connect(Handle a, PortNumber port_a, Handle b, PortNumber port_b) {
    if (auto connected = builder_.connect(a, port_a, b, port_b, any_rate()); !connected) {
      throw std::runtime_error(connected.error().message);
    }
  }

  void add_cable(Handle a, Handle b) {
    if (free_port_[a] + 2U > router_ports || free_port_[b] + 2U > router_ports) return;
    const PortNumber port_a = take_port(a);
    connect(a, port_a, b, take_port(b));
  }

  void plug_in(Handle adapter, Guid guid, unsigned port_count) {
    set_system_guid(adapter);
    for (unsigned number = port_count; number >= 1; --number) {
      if (number == 2 && random_.below(3) == 0) continue;
      const Handle router = any_router();
      if (free_port_[router] > router_ports) throw std::runtime_error("the random subnet ran out of ports");
      set_port(adapter, static_cast<PortNumber>(number), plain_ ? guid : random_.below(2) * (guid + number));
      connect(adapter, static_cast<PortNumber>(number), router, take_port(router));
    }
  }

  unsigned any_port_count() { return plain_ ? 1 : 1 + static_cast<unsigned>(random_.below(2)); }

  void add_host(std::size_t number) {
    const std::string host = fmt::format("node{}\xC3\xB6.{}", number, random_.below(10));
    const auto rails = number == 0 ? 4 : 1 + random_.below(4);
    for (std::uint16_t rail = 0; rail < rails; ++rail) {
      const Guid guid = new_guid();
      const unsigned ports = any_port_count();
      const std::string name =
          random_.below(2) ? fmt::format("{} mlx5_{}", host, rail) : fmt::format("{} HCA-{}", host, rail + 1);
      plug_in(builder_.add_nic(name, guid, static_cast<PortNumber>(ports), host, rail), guid, ports);
    }
  }

  void add_unnamed() {
    const Guid guid = new_guid();
    const unsigned ports = any_port_count();
    plug_in(builder_.add_unnamed_nic("MT4129 ConnectX7   Mellanox Technologies", guid, static_cast<PortNumber>(ports)),
            guid, ports);
  }

  void add_aggregation_node() {
    const Guid guid = new_guid();
    plug_in(builder_.add_aggregation_node("Mellanox Technologies Aggregation Node", guid, 1), guid, 1);
  }

  Random random_;
  bool plain_;
  bool has_lids_ = random_.below(4) > 0;
  NetworkBuilder builder_;
  std::vector<unsigned> free_port_;  // by router
  Guid guid_ = 0x0002c90300000000;
  unsigned next_lid_ = 1;
};

inline std::string ports_report(const Network& network) {
  const auto half = [&](const Port& port) {
    const bool is_router = network.is_router(port.device);
    const Port& owner = is_router ? network.ports(port.device)[0] : port;
    return fmt::format("{} {:>5} {:>2} {:#018x}", is_router ? "SW" : "CA", owner.lid, port.number, owner.guid);
  };
  const auto rate = [](LinkRate known) {
    const std::string word = known.known() ? to_string(known) : "??x???";
    const auto x = word.find('x');
    return word.substr(0, x + 1) + " " + word.substr(x + 1);
  };
  std::string text;
  for (DeviceId id = 0; id < network.device_count(); ++id) {
    for (unsigned number = network.device(id).port_count; number >= 1; --number) {
      const Port& port = network.ports(id)[number];
      text += fmt::format("{} {}", half(port), rate(port.rate));
      if (port.connected()) {
        const Port& peer = network.port(port.peer);
        text += fmt::format(" - {} ( '{}' - '{}' )\n", half(peer), network.name(id), network.name(peer.device));
      } else {
        text += fmt::format("{:36}'{}'\n", "", network.name(id));
      }
    }
  }
  return text;
}

}  // namespace ayatori
