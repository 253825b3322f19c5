// Caches through the C interface: refused with a message, or every function can be called on every object. The checksum
// is put right, so that whatever the bytes say is reached: who forges a cache does so, too.

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "ayatori/topology/image.hpp"
#include "image_checksums.hpp"
#include "nwtopo.h"
#include "require.hpp"

using namespace ayatori;

namespace {

constexpr unsigned max_asked = 24;
/// A grid's map has an entry for each point, a search one for each id: forged, both may be a billion.
constexpr std::uint64_t max_points = 1 << 16;

std::uint64_t points(const nwtopo_obj& grid) {
  std::uint64_t product = 1;
  for (unsigned i = 0; i < grid.attr->grid.num_dimensions; ++i) product *= grid.attr->grid.dimensions[i];
  return product;
}

void require_name(const char* name) { require(name == nullptr || std::strlen(name) < 1 << 24); }

void walk_up(nwtopo_topology_t topology, nwtopo_obj_t object) {
  require(object->num_parents == 0 || object->parents != nullptr);
  for (unsigned i = 0; i < object->num_parents; ++i) {
    require(object->parents[i]->height > object->height);
    require(nwtopo_obj_get_parent(topology, object, i) == object->parents[i]);
  }
}

void walk_down(nwtopo_topology_t topology, nwtopo_obj_t object) {
  if (object->type == NWTOPO_OBJ_GRID && points(*object) > max_points) return;
  nwtopo_obj_t* const children = nwtopo_obj_get_children(topology, object);
  require((children != nullptr) == (object->num_children > 0));
  for (unsigned i = 0; i < object->num_children; ++i) {
    require(children[i]->height < object->height);
    require(nwtopo_obj_get_child(topology, object, i) == children[i]);
  }
  if (object->type == NWTOPO_OBJ_GRAPH && object->num_children > 0) {
    for (unsigned i = 0; i < object->attr->graph.num_edges; ++i)
      require(object->attr->graph.edges[i]->nodes[1] != nullptr);
  }
  if (object->num_children > max_points) return;
  nwtopo_obj_t machines[max_asked];
  require(nwtopo_get_machines_under(topology, object, max_asked, machines) >= 0);
}

void look_at_links(nwtopo_topology_t topology, nwtopo_obj_t object) {
  const long count = nwtopo_obj_get_num_links(topology, object);
  for (long i = 0; i < count; ++i) {
    nwtopo_link link;
    require(nwtopo_obj_get_link(topology, object, static_cast<unsigned long>(i), &link) == 0);
    require(link.from == object && link.to != nullptr);
    require(nwtopo_topology_get_plane_name(topology, link.plane) != nullptr);
    require_name(link.from_device);
    require_name(link.to_device);
  }
}

void look_at(nwtopo_topology_t topology, nwtopo_obj_t object) {
  require(object != nullptr && nwtopo_topology_get_object_by_id(topology, object->id) == object);
  walk_up(topology, object);
  walk_down(topology, object);
  look_at_links(topology, object);
  if (object->type == NWTOPO_OBJ_ROUTER) require_name(object->attr->router.name);
  if (object->type != NWTOPO_OBJ_MACHINE) return;
  require_name(object->attr->machine.hostname);
  for (unsigned i = 0; i < std::min(max_asked, object->attr->machine.num_nics); ++i) {
    nwtopo_nic nic;
    require(nwtopo_obj_get_nic(topology, object, i, &nic) == 0 && nic.index == i);
    nwtopo_nic other;
    if (nic.guid != 0) require(nwtopo_topology_get_nic_by_guid(topology, nic.guid, &other) == 0);
  }
}

void ask_of_pair(nwtopo_topology_t topology, nwtopo_obj_t a, nwtopo_obj_t b) {
  nwtopo_link links[max_asked];
  nwtopo_obj_t objects[max_asked];
  const long hops = nwtopo_get_hops(topology, a, b);
  const long route = nwtopo_get_route(topology, a, b, 0, max_asked, links);
  require(hops == route);
  require((nwtopo_get_num_routes(topology, a, b) > 0) == (hops >= 0));
  (void)nwtopo_get_common_ancestors(topology, a, b, max_asked, objects);
  (void)nwtopo_get_nearest_machines(topology, a, max_asked, objects);
  (void)nwtopo_get_nic_hops(topology, a, 0, b, 0);
  nwtopo_nic nic;
  (void)nwtopo_get_nearest_nic(topology, a, 0, b, &nic);
  nwtopo_cut cut;
  if (a != b) require(nwtopo_get_cut(topology, 1, &a, 1, &b, &cut) == 0);
}

void shrink_to(nwtopo_topology_t base, std::vector<nwtopo_obj_t> machines, unsigned long flags) {
  nwtopo_topology_t part = nullptr;
  require(nwtopo_topology_init(&part) == 0 && nwtopo_topology_set_flags(part, flags) == 0);
  require(nwtopo_topology_shrink(part, base, static_cast<unsigned>(machines.size()), machines.data()) == 0);
  std::vector<unsigned> matrix(machines.size() * machines.size());
  require(nwtopo_get_distances(part, static_cast<unsigned>(machines.size()), machines.data(), matrix.data()) == 0 ||
          flags == 0);
  nwtopo_topology_destroy(part);
}

/// Pairs are asked of `small` networks only.
void use(nwtopo_topology_t topology, bool small) {
  std::vector<nwtopo_obj_t> machines;
  for (unsigned height = 0; height <= nwtopo_topology_get_max_height(topology); ++height) {
    const unsigned long count = nwtopo_topology_get_num_objects(topology, height);
    for (unsigned long i = 0; i < std::min<unsigned long>(count, 1000); ++i) {
      nwtopo_obj_t const object = nwtopo_topology_get_object(topology, height, i);
      look_at(topology, object);
      if (height == 0 && machines.size() < 6) machines.push_back(object);
    }
  }
  (void)nwtopo_topology_get_root(topology);
  for (nwtopo_obj_t const a : machines) {
    for (nwtopo_obj_t const b : machines) {
      if (small) ask_of_pair(topology, a, b);
    }
  }
  if (!machines.empty() && small) {
    shrink_to(topology, machines, NWTOPO_TOPOLOGY_FLAG_REUSE_OBJECTS);
    shrink_to(topology, {machines.front()}, 0);
  }
  nwtopo_memory memory;
  require(nwtopo_topology_get_memory(topology, &memory) == 0);
}

/// A forged network may be a torus of a billion machines, have ids up to 2^32, or a grid with a billion empty points.
/// What keeps an array of these, or walks over them, takes its time.
bool is_small(nwtopo_topology_t topology, std::span<const std::byte> bytes) {
  constexpr std::uint64_t max_machines = 2000;
  const auto image = open_image(bytes, "fuzz");
  if (!image || transit_of(**image).machine_count() > max_machines || transit_of(**image).id_end() > max_points)
    return false;
  for (unsigned height = 1; height <= nwtopo_topology_get_max_height(topology); ++height) {
    const unsigned long count = nwtopo_topology_get_num_objects(topology, height);
    for (unsigned long i = 0; i < count; ++i) {
      nwtopo_obj_t const object = nwtopo_topology_get_object(topology, height, i);
      if (object->type == NWTOPO_OBJ_GRID && points(*object) > max_points) return false;
    }
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::uint64_t> aligned(size / 8 + 1);
  std::memcpy(aligned.data(), data, size);
  auto* bytes = reinterpret_cast<std::byte*>(aligned.data());
  put_checksums_right({bytes, size});
  nwtopo_topology_t topology = nullptr;
  require(nwtopo_topology_init(&topology) == 0 && nwtopo_topology_set_buffer(topology, bytes, size) == 0);
  if (nwtopo_topology_load(topology) == 0) {
    use(topology, is_small(topology, {bytes, size}));
  } else {
    require(errno != 0 && *nwtopo_error_message() != '\0');
  }
  nwtopo_topology_destroy(topology);
  return 0;
}
