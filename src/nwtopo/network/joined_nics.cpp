#include "joined_nics.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

#include "ayatori/network/router_graph.hpp"

namespace ayatori {

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

std::vector<double> fastest_cables(const Network& network) {
  std::vector<double> fastest(network.planes().size(), 0);
  for (PortId id = 0; id < network.port_count(); ++id) {
    const Port& port = network.port(id);
    if (!port.connected()) continue;
    double& of_plane = fastest[network.device(port.device).plane];
    of_plane = std::max(of_plane, port.rate.bytes_per_second());
  }
  return fastest;
}

}  // namespace

JoinedNics::JoinedNics(const Network& network, std::span<const PortId> endpoints)
    : network_(&network), fastest_(fastest_cables(network)), leaf_row_(network.router_count(), no_id) {
  for (const PortId endpoint : endpoints) {
    const DeviceId leaf = network.router_of(endpoint);
    if (leaf == no_id || leaf_row_[leaf] != no_id) continue;
    leaf_row_[leaf] = static_cast<std::uint32_t>(leaves_.size());
    leaves_.push_back(leaf);
  }
  const RouterGraph graph(network);
  for (const DeviceId leaf : leaves_) {
    std::vector<double> rate(graph.size(), 0);
    std::vector<std::uint32_t> distance(graph.size(), no_id);
    std::vector<std::uint64_t> nanoseconds(graph.size(), std::numeric_limits<std::uint64_t>::max());
    nanoseconds[leaf] = 0;
    rate[leaf] = unlimited;
    distance[leaf] = 0;
    // Routers come nearest first: when one is looked at, all shortest paths to it are known.
    for (const DeviceId here : graph.by_distance_from(leaf)) {
      for (const RouterGraph::Cable& cable : graph.cables(here)) {
        if (distance[cable.peer] == no_id) distance[cable.peer] = distance[here] + 1;
        if (distance[cable.peer] != distance[here] + 1) continue;
        const PortId port = network.port_id(here, cable.port);
        rate[cable.peer] = std::max(rate[cable.peer], std::min(rate[here], cable_rate(port)));
        nanoseconds[cable.peer] = std::min(nanoseconds[cable.peer], nanoseconds[here] + network.port(port).latency);
      }
    }
    std::vector<double>& row = rates_.emplace_back();
    std::vector<std::uint64_t>& times = nanoseconds_.emplace_back();
    for (const DeviceId other : leaves_) {
      row.push_back(rate[other]);
      times.push_back(rate[other] > 0 ? nanoseconds[other] : 0);
    }
  }
}

double JoinedNics::cable_rate(PortId port) const {
  const LinkRate rate = network_->port(port).rate;
  if (rate.known()) return rate.bytes_per_second();
  const double fastest = fastest_[network_->device(network_->port(port).device).plane];
  return fastest > 0 ? fastest : unlimited;
}

double JoinedNics::rate(PortId from, PortId to) const {
  const double cables = std::min(cable_rate(from), cable_rate(to));
  if (network_->port(from).peer == to) return cables;
  const DeviceId near = network_->router_of(from);
  const DeviceId far = network_->router_of(to);
  if (near == no_id || far == no_id) return 0;
  return std::min(cables, rates_[leaf_row_[near]][leaf_row_[far]]);
}

double JoinedNics::seconds(PortId from, PortId to) const {
  constexpr double nanosecond = 1e-9;
  const auto latency = [&](PortId port) { return std::uint64_t{network_->port(port).latency}; };
  if (network_->port(from).peer == to) return static_cast<double>(latency(from)) * nanosecond;
  const DeviceId near = network_->router_of(from);
  const DeviceId far = network_->router_of(to);
  if (near == no_id || far == no_id) return 0;
  const std::uint64_t between = nanoseconds_[leaf_row_[near]][leaf_row_[far]];
  return static_cast<double>(latency(from) + between + latency(network_->port(to).peer)) * nanosecond;
}

std::vector<NicPair> JoinedNics::pairs(std::span<const PortId> from, std::span<const PortId> to) const {
  std::vector<NicPair> all;
  for (std::uint32_t i = 0; i < from.size(); ++i) {
    for (std::uint32_t j = 0; j < to.size(); ++j) {
      const double found = rate(from[i], to[j]);
      if (found > 0) all.push_back({i, j, found, seconds(from[i], to[j])});
    }
  }
  const auto rail = [&](PortId endpoint) { return network_->device(network_->port(endpoint).device).rail; };
  const auto order = [&](const NicPair& pair) {
    return std::tuple(-pair.bytes_per_second, rail(from[pair.from]) != rail(to[pair.to]), pair.from, pair.to);
  };
  std::ranges::sort(all, {}, order);
  std::vector<NicPair> chosen;
  for (const NicPair& pair : all) {
    const auto shares_a_nic = [&](const NicPair& one) { return one.from == pair.from || one.to == pair.to; };
    if (std::ranges::none_of(chosen, shares_a_nic)) chosen.push_back(pair);
  }
  return chosen;
}

}  // namespace ayatori
