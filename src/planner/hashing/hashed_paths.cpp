#include "ayatori/hashing/hashed_paths.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace ayatori {

Result<HashedPaths> HashedPaths::of(const Network& network, std::vector<PortId> endpoints,
                                    std::vector<IpAddress> addresses, SwitchHashes hashes) {
  if (addresses.size() != endpoints.size()) {
    return fail("{} addresses for {} ports", addresses.size(), endpoints.size());
  }
  if (std::set(addresses.begin(), addresses.end()).size() != addresses.size())
    return fail("two ports have one address");
  const auto ipv4 = std::ranges::count_if(addresses, &IpAddress::is_ipv4);
  if (ipv4 != 0 && static_cast<std::size_t>(ipv4) != addresses.size()) {
    return fail("{} of {} addresses are of IPv4: packets need two of one kind", ipv4, addresses.size());
  }
  HashedPaths paths(network, std::move(hashes));
  if (paths.hashes_.seeds.size() != paths.graph_.size()) {
    return fail("{} seeds for {} switches", paths.hashes_.seeds.size(), paths.graph_.size());
  }
  for (const PortId endpoint : endpoints) {
    const PortId peer = network.port(endpoint).peer;
    if (peer == no_id || !network.is_router(network.port(peer).device)) {
      return fail("{} is not cabled to a switch", network.name(network.port(endpoint).device));
    }
    paths.routers_.push_back(network.port(peer).device);
    const DeviceId router = paths.routers_.back();
    if (!paths.hops_.contains(router)) paths.hops_.emplace(router, paths.graph_.hops_from(router));
  }
  paths.endpoints_ = std::move(endpoints);
  paths.addresses_ = std::move(addresses);
  for (const auto& [to, hops] : paths.hops_) {
    for (const DeviceId from : paths.routers_) {
      if (hops[from] == no_id) {
        return fail("no cables lead from {} to {}", network.name(from), network.name(to));
      }
    }
  }
  return paths;
}

void HashedPaths::next_cables(DeviceId router, std::span<const std::uint32_t> hops,
                              std::vector<RouterGraph::Cable>& cables) const {
  cables.clear();
  for (const RouterGraph::Cable& cable : graph_.cables(router)) {
    if (hops[cable.peer] + 1 == hops[router]) cables.push_back(cable);
  }
}

void HashedPaths::path(std::uint32_t from, std::uint32_t to, std::uint16_t source_port,
                       std::vector<PortId>& links) const {
  links.clear();
  const std::vector<std::uint32_t>& hops = hops_.at(routers_[to]);
  const RoceFlow flow = {addresses_[from], addresses_[to], source_port};
  std::vector<RouterGraph::Cable> cables;
  for (DeviceId router = routers_[from]; router != routers_[to];) {
    next_cables(router, hops, cables);
    const auto count = static_cast<std::uint32_t>(cables.size());
    const std::uint32_t number =
        count == 1 ? 0 : hashes_.choice(flow, network_->name(router), hashes_.seeds[router], count);
    links.push_back(network_->port_id(router, cables[number].port));
    router = cables[number].peer;
  }
}

std::uint64_t HashedPaths::path_count(std::uint32_t from, std::uint32_t to) const {
  const std::vector<std::uint32_t>& hops = hops_.at(routers_[to]);
  std::map<DeviceId, std::uint64_t> ways = {{routers_[from], 1}};
  std::vector<RouterGraph::Cable> cables;
  for (std::uint32_t left = hops[routers_[from]]; left > 0; --left) {
    std::map<DeviceId, std::uint64_t> nearer;
    for (const auto& [router, count] : ways) {
      next_cables(router, hops, cables);
      for (const RouterGraph::Cable& cable : cables) nearer[cable.peer] += count;
    }
    ways = std::move(nearer);
  }
  return ways[routers_[to]];
}

}  // namespace ayatori
