#include "links.hpp"

#include <cerrno>

namespace ayatori::capi {

namespace {

/// NULL for a machine that was left out, or that is not in the subset while its built-in router forwards.
nwtopo_obj_t end_of_link(const Loaded& topology, ObjectId id) {
  return topology.topology->contains(id) ? topology.objects->get(id) : nullptr;
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
  return shown;
}

}  // namespace ayatori::capi

using namespace ayatori;
using namespace ayatori::capi;

extern "C" {

long nwtopo_obj_get_num_links(nwtopo_topology_t topology, nwtopo_obj_t obj) {
  return guarded([&]() -> long {
    const Loaded* const here = loaded(topology);
    const ObjectId id = here == nullptr ? no_object : id_of(*here, obj);
    if (id == no_object) return failed;
    return here->topology->link_count(id);
  });
}

int nwtopo_obj_get_link(nwtopo_topology_t topology, nwtopo_obj_t obj, unsigned long index, struct nwtopo_link* link) {
  return guarded([&]() -> int {
    const Loaded* const here = loaded(topology);
    const ObjectId id = here == nullptr ? no_object : id_of(*here, obj);
    if (id == no_object) return failed;
    if (link == nullptr) return refuse(EINVAL, "there is no place for the link: it is NULL");
    const std::uint32_t count = here->topology->link_count(id);
    if (index >= count) return refuse(ENOENT, "no link {} of object {}: it has {}", index, id, count);
    *link = link_of(*here, id, here->topology->link(id, static_cast<std::uint32_t>(index)));
    return 0;
  });
}

unsigned nwtopo_topology_get_num_planes(nwtopo_topology_t topology) {
  const Loaded* const here = loaded(topology);
  return here == nullptr ? 0 : static_cast<unsigned>(here->topology->planes().size());
}

const char* nwtopo_topology_get_plane_name(nwtopo_topology_t topology, unsigned plane) {
  return guarded([&]() -> const char* {
    const Loaded* const here = loaded(topology);
    if (here == nullptr) return failed;
    const auto planes = here->topology->planes();
    if (plane >= planes.size()) return refuse(ENOENT, "no plane {}: there are {}", plane, planes.size());
    return planes[plane].c_str();
  });
}

}  // extern "C"
