#include <algorithm>

#include "ayatori/topology/queries.hpp"
#include "search.hpp"

namespace ayatori {

namespace {

/// What the NIC of a machine is cabled to, with the NIC at the far end.
std::vector<TopologyLink> links_of_nic(const Topology& topology, ObjectId machine, std::uint32_t nic) {
  std::vector<TopologyLink> found;
  for_each_link_up(topology, machine, [&](const TopologyLink& link) {
    if (link.from_nic == nic) found.push_back(link);
  });
  return found;
}

}  // namespace

std::uint32_t nic_hops(const Topology& part, ObjectId from, std::uint32_t from_nic, ObjectId to, std::uint32_t to_nic) {
  const Topology& topology = transit_of(part);
  if (topology.direct()) return hops(topology, from, to);
  if (from == to && from_nic == to_nic) return 0;
  const auto ends = links_of_nic(topology, to, to_nic);
  std::uint32_t shortest = unreachable;
  for (const TopologyLink& out : links_of_nic(topology, from, from_nic)) {
    if (out.to == to && out.to_nic == to_nic) return 1;
    if (!forwards(topology, out.to)) continue;
    for (const TopologyLink& end : ends) {
      if (!forwards(topology, end.to)) continue;
      const std::uint32_t between = hops(topology, out.to, end.to);
      if (between != unreachable) shortest = std::min(shortest, between + 2);
    }
  }
  return shortest;
}

std::optional<std::uint32_t> nearest_nic(const Topology& topology, ObjectId from, std::uint32_t from_nic, ObjectId to) {
  const TopologyNic local = topology.nic(from, from_nic);
  std::optional<std::uint32_t> found;
  std::uint32_t least = unreachable;
  const std::uint32_t count = topology.nic_count(to);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t distance = nic_hops(topology, from, from_nic, to, i);
    if (distance == unreachable) continue;
    const TopologyNic remote = topology.nic(to, i);
    const bool same_rail = remote.rail == local.rail && remote.plane == local.plane;
    if (distance < least || (distance == least && same_rail)) {
      least = distance;
      found = i;
    }
  }
  return found;
}

std::optional<NicPlace> find_nic(const Topology& topology, Guid guid) {
  const std::uint64_t machines = topology.machine_count();
  for (std::uint64_t i = 0; i < machines; ++i) {
    const ObjectId machine = topology.machine(i);
    const std::uint32_t count = topology.nic_count(machine);
    for (std::uint32_t nic = 0; nic < count; ++nic) {
      if (topology.nic(machine, nic).guid == guid) return NicPlace{machine, nic};
    }
  }
  return std::nullopt;
}

std::optional<ObjectId> find_by_guid(const Topology& topology, Guid guid) {
  for (std::uint32_t height = 1; height <= topology.max_height(); ++height) {
    const std::uint64_t count = topology.count_at(height);
    for (std::uint64_t i = 0; i < count; ++i) {
      const ObjectId id = topology.object_at(height, i);
      if (topology.kind(id) == ObjectKind::router && topology.router_guid(id) == guid) return id;
    }
  }
  const auto nic = find_nic(topology, guid);
  return nic ? std::optional(nic->machine) : std::nullopt;
}

}  // namespace ayatori
