// The network adapters of machines.

#include <cerrno>

#include "ayatori/topology/queries.hpp"
#include "links.hpp"

namespace ayatori::capi {

namespace {

/// A NIC of a loaded topology.
struct Nic {
  ObjectId machine = no_object;
  std::uint32_t index = 0;

  explicit operator bool() const { return machine != no_object; }
};

/// Nothing, with errno and a message, for what is not a machine of the topology or has no such NIC.
Nic nic_of(const Loaded& here, nwtopo_obj_t object, unsigned index, const char* what) {
  const ObjectId id = device_of(here, object, what);
  if (id == no_object) return {};
  if (here.topology->kind(id) != ObjectKind::machine) {
    refuse(EINVAL, "{} is a router: expected a machine", what);
    return {};
  }
  const std::uint32_t count = here.topology->nic_count(id);
  if (index < count) return {id, index};
  refuse(ENOENT, "no NIC {} of machine {}: it has {}", index, id, count);
  return {};
}

void show(const Loaded& here, Nic nic, nwtopo_nic& shown) {
  const TopologyNic found = here.topology->nic(nic.machine, nic.index);
  shown = {};
  shown.machine = here.objects->get(nic.machine);
  shown.index = nic.index;
  shown.rail = found.rail;
  shown.plane = found.plane;
  shown.guid = found.guid;
  shown.device = found.device.empty() ? nullptr : found.device.data();
  const std::uint32_t links = here.topology->link_count(nic.machine);
  for (std::uint32_t i = 0; i < links; ++i) {
    shown.num_links += here.topology->link(nic.machine, i).from_nic == nic.index ? 1 : 0;
  }
}

/// A loaded topology, and a place to write a NIC to; nullptr, with errno and a message, if one is missing.
const Loaded* with_place(nwtopo_topology_t topology, const nwtopo_nic* nic) {
  const Loaded* const here = loaded(topology);
  if (here == nullptr || nic != nullptr) return here;
  return refuse(EINVAL, "the pointer to the NIC is NULL");
}

bool is_guid(std::uint64_t guid) {
  if (guid != 0) return true;
  refuse(EINVAL, "0 is not a GUID");
  return false;
}

}  // namespace

}  // namespace ayatori::capi

using namespace ayatori;
using namespace ayatori::capi;

extern "C" {

int nwtopo_obj_get_nic(nwtopo_topology_t topology, nwtopo_obj_t machine, unsigned index, struct nwtopo_nic* nic) {
  return guarded([&]() -> int {
    const Loaded* const here = with_place(topology, nic);
    const Nic found = here == nullptr ? Nic{} : nic_of(*here, machine, index, "the object");
    if (!found) return failed;
    show(*here, found, *nic);
    return 0;
  });
}

int nwtopo_topology_get_nic_by_guid(nwtopo_topology_t topology, uint64_t guid, struct nwtopo_nic* nic) {
  return guarded([&]() -> int {
    const Loaded* const here = with_place(topology, nic);
    if (here == nullptr || !is_guid(guid)) return failed;
    const auto place = find_nic(*here->topology, guid);
    if (!place) return refuse(ENOENT, "no NIC has the GUID {:#x}", guid);
    show(*here, {place->machine, place->index}, *nic);
    return 0;
  });
}

nwtopo_obj_t nwtopo_topology_get_object_by_guid(nwtopo_topology_t topology, uint64_t guid) {
  return guarded([&]() -> nwtopo_obj_t {
    const Loaded* const here = loaded(topology);
    if (here == nullptr || !is_guid(guid)) return failed;
    const auto id = find_by_guid(*here->topology, guid);
    if (!id) return refuse(ENOENT, "no router or NIC has the GUID {:#x}", guid);
    return object_of(*here, *id);
  });
}

long nwtopo_get_nic_hops(nwtopo_topology_t topology, nwtopo_obj_t from, unsigned from_nic, nwtopo_obj_t to,
                         unsigned to_nic) {
  return guarded([&]() -> long {
    const Loaded* const here = loaded(topology);
    const Nic near = here == nullptr ? Nic{} : nic_of(*here, from, from_nic, "the first object");
    const Nic far = near ? nic_of(*here, to, to_nic, "the second object") : Nic{};
    if (!far) return failed;
    const std::uint32_t count = nic_hops(*here->topology, near.machine, near.index, far.machine, far.index);
    if (count != unreachable) return count;
    return refuse(ENOENT, "no path leads from NIC {} of machine {} to NIC {} of machine {}", near.index, near.machine,
                  far.index, far.machine);
  });
}

int nwtopo_get_nearest_nic(nwtopo_topology_t topology, nwtopo_obj_t from, unsigned from_nic, nwtopo_obj_t to,
                           struct nwtopo_nic* nic) {
  return guarded([&]() -> int {
    const Loaded* const here = with_place(topology, nic);
    const Nic near = here == nullptr ? Nic{} : nic_of(*here, from, from_nic, "the first object");
    if (!near) return failed;
    const ObjectId other = device_of(*here, to, "the second object");
    if (other == no_object) return failed;
    if (here->topology->kind(other) != ObjectKind::machine) {
      return refuse(EINVAL, "the second object is a router: expected a machine");
    }
    const auto nearest = nearest_nic(*here->topology, near.machine, near.index, other);
    if (!nearest) {
      return refuse(ENOENT, "no path leads from NIC {} of machine {} to machine {}", near.index, near.machine, other);
    }
    show(*here, {other, *nearest}, *nic);
    return 0;
  });
}

}  // extern "C"
