#pragma once
/// \file
/// The channel dependency graph (Dally and Seitz, 1987): its vertices are the directed links between routers, and an
/// edge a -> b says that some packet which came by a leaves by b, and so holds buffers of a while it waits for b.
/// Packets can wait for each other in a circle only if this graph has a cycle.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ayatori/network/network.hpp"

namespace ayatori {

class ChannelDependencies {
 public:
  explicit ChannelDependencies(const Network& network) : network_(network), waits_for_(network.port_count()) {}

  /// Packets that arrive at the router port `arrival` leave by the router's port `out`. Safe from many threads at once.
  void add(PortId arrival, PortNumber out);

  /// Directed links, each waiting for the next and the last for the first; empty if there is no cycle.
  [[nodiscard]] std::vector<PortId> find_cycle() const;

 private:
  static constexpr unsigned bits = 64;
  using PortSet = std::array<std::uint64_t, 4>;  // by port number of the arrival's router

  const Network& network_;
  std::vector<PortSet> waits_for_;  // by the port of arrival
};

}  // namespace ayatori
