#include "links.hpp"

#include <cerrno>

namespace ayatori::capi {

namespace {

/// NULL for a machine that was left out, or that is not in the subset while its built-in router forwards.
nwtopo_obj_t end_of_link(const Loaded& topology, ObjectId id) {
  return topology.topology->contains(id) ? topology.objects->get(id) : nullptr;
}

struct EndOfLink {
  const char* device = nullptr;
  std::uint64_t guid = 0;
  unsigned rail = 0;
};

/// The NIC, or the router, that a link leaves or arrives at. Nothing is known of routers that are built into machines.
EndOfLink device_at(const Topology& topology, ObjectId id, std::uint32_t nic) {
  if (topology.kind(id) == ObjectKind::router) return {nullptr, topology.router_guid(id), 0};
  if (nic == no_nic) return {};
  const TopologyNic found = topology.nic(id, nic);
  return {found.device.empty() ? nullptr : found.device.data(), found.guid, found.rail};
}

}  // namespace

nwtopo_link link_of(const Loaded& topology, ObjectId from, const TopologyLink& link) {
  nwtopo_link shown{};
  shown.from = end_of_link(topology, from);
  shown.to = end_of_link(topology, link.to);
  shown.from_port = link.from_port;
  shown.to_port = link.to_port;
  shown.plane = link.plane;
  shown.width = link.rate.megabits != 0 ? 0 : link.rate.width;
  shown.bandwidth = link.rate.bytes_per_second();
  shown.lane_speed = shown.width == 0 ? 0 : shown.bandwidth / shown.width;
  shown.latency = link.latency * 1e-9;
  shown.state = link.state == LinkState::up ? NWTOPO_LINK_UP : NWTOPO_LINK_TAKEN_OUT;
  shown.degraded = link.degraded;
  const Topology& carrier = transit_of(*topology.topology);
  const EndOfLink here = device_at(carrier, from, link.from_nic);
  const EndOfLink there = device_at(carrier, link.to, link.to_nic);
  static_assert(no_nic == NWTOPO_NO_NIC);
  shown.from_nic = link.from_nic;
  shown.to_nic = link.to_nic;
  shown.rail = link.from_nic != no_nic ? here.rail : there.rail;
  shown.from_device = here.device;
  shown.to_device = there.device;
  shown.from_guid = here.guid;
  shown.to_guid = there.guid;
  return shown;
}

}  // namespace ayatori::capi

using namespace ayatori;
using namespace ayatori::capi;

extern "C" {

long nwtopo_obj_get_num_links(nwtopo_topology_t topology, nwtopo_obj_t obj) {
  return with_object(topology, obj, id_of,
                     [&](const Loaded& here, ObjectId id) -> long { return here.topology->link_count(id); });
}

int nwtopo_obj_get_link(nwtopo_topology_t topology, nwtopo_obj_t obj, unsigned long index, struct nwtopo_link* link) {
  return with_object(topology, obj, id_of, [&](const Loaded& here, ObjectId id) -> int {
    if (link == nullptr) return refuse(EINVAL, "the pointer to the link is NULL");
    const std::uint32_t count = here.topology->link_count(id);
    if (index >= count) return refuse(ENOENT, "no link {} of object {}: it has {}", index, id, count);
    *link = link_of(here, id, here.topology->link(id, static_cast<std::uint32_t>(index)));
    return 0;
  });
}

unsigned nwtopo_topology_get_num_planes(nwtopo_topology_t topology) {
  const Loaded* const here = loaded(topology);
  return here == nullptr ? 0 : static_cast<unsigned>(here->topology->planes().size());
}

const char* nwtopo_topology_get_plane_name(nwtopo_topology_t topology, unsigned plane) {
  return with_loaded(topology, [&](const Loaded& here) -> const char* {
    const auto planes = here.topology->planes();
    if (plane >= planes.size()) return refuse(ENOENT, "no plane {}: there are {}", plane, planes.size());
    return planes[plane].name.c_str();
  });
}

}  // extern "C"
