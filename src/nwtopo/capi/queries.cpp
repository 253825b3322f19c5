// What one asks of a network (topology/queries.hpp), in terms of objects.

#include "ayatori/topology/queries.hpp"

#include <algorithm>
#include <cerrno>
#include <optional>

#include "links.hpp"

namespace ayatori::capi {

namespace {

/// Two objects of a loaded topology.
struct Pair {
  const Loaded* loaded = nullptr;
  ObjectId from = no_object;
  ObjectId to = no_object;

  explicit operator bool() const { return to != no_object; }
  [[nodiscard]] const Topology& topology() const { return *loaded->topology; }
};

using Check = ObjectId (*)(const Loaded&, const nwtopo_obj*, const char*);

Pair pair_of(nwtopo_topology_t handle, nwtopo_obj_t from, nwtopo_obj_t to, Check check) {
  Pair pair;
  pair.loaded = loaded(handle);
  if (pair.loaded != nullptr) pair.from = check(*pair.loaded, from, "the first object");
  if (pair.from != no_object) pair.to = check(*pair.loaded, to, "the second object");
  return pair;
}

/// The body of a C function that asks about a pair; fails if an object of it is not there.
template <typename Body>
auto with_pair(nwtopo_topology_t handle, nwtopo_obj_t from, nwtopo_obj_t to, Check check, Body body) noexcept {
  return guarded([&]() -> std::invoke_result_t<Body, const Pair&> {
    const Pair pair = pair_of(handle, from, to, check);
    if (!pair) return failed;
    return body(pair);
  });
}

Failed no_route(const Pair& pair) { return refuse(ENOENT, "no path leads from object {} to {}", pair.from, pair.to); }

/// Ids of machines and routers, or with `machines_only` machines; nothing, with errno and a message, if one is not.
std::optional<std::vector<ObjectId>> devices_of(const Loaded& here, unsigned count, nwtopo_obj_t* objects,
                                                bool machines_only) {
  std::vector<ObjectId> ids;
  if (objects == nullptr && count > 0) {
    refuse(EINVAL, "the objects are NULL");
    return std::nullopt;
  }
  ids.reserve(count);
  for (unsigned i = 0; i < count; ++i) {
    const ObjectId id = device_of(here, objects[i]);
    if (id == no_object) return std::nullopt;
    if (machines_only && here.topology->kind(id) != ObjectKind::machine) {
      refuse(EINVAL, "object {} is a router: expected machines", id);
      return std::nullopt;
    }
    ids.push_back(id);
  }
  return ids;
}

/// Writes as many objects as fit and gives the number of all.
long give(const Loaded& here, std::span<const ObjectId> ids, unsigned most, nwtopo_obj_t* objects) {
  if (objects == nullptr && most > 0) return refuse(EINVAL, "the pointer to the objects is NULL");
  for (std::size_t i = 0; i < std::min<std::size_t>(most, ids.size()); ++i) {
    objects[i] = object_of(here, ids[i]);
    if (objects[i] == nullptr) return failed;
  }
  return static_cast<long>(ids.size());
}

/// Writes as many links of a route as fit and gives the number of all.
long give_route(const Pair& pair, const Result<std::vector<RouteStep>>& route, unsigned most, nwtopo_link* links) {
  if (links == nullptr && most > 0) return refuse(EINVAL, "the pointer to the links is NULL");
  if (!route) return refuse(route.error());
  for (std::size_t i = 0; i < std::min<std::size_t>(most, route->size()); ++i) {
    const auto [from, index] = (*route)[i];
    links[i] = link_of(*pair.loaded, from, transit_of(pair.topology()).link(from, index));
  }
  return static_cast<long>(route->size());
}

Result<std::vector<RouteStep>> by_shortest_path(const Pair& pair, std::uint64_t which) {
  auto route = shortest_route(pair.topology(), pair.from, pair.to, which);
  if (!route) return with_code(Failure(route.error()), ENOENT);
  return route;
}

Result<std::vector<RouteStep>> by_tables(const Pair& pair, std::uint32_t path) {
  auto route = pair.loaded->routes->route(pair.topology(), pair.from, pair.to, path);
  if (!route) return with_code(Failure(route.error()), ENOENT);
  return route;
}

/// Whether packets go by dimension order: in a grid of machines just as its source says.
bool goes_by_dimensions(const Pair& pair) {
  if (!pair.loaded->as_made) return false;
  const auto above = common_ancestors(pair.topology(), pair.from, pair.to);
  return pair.from == pair.to ||
         std::ranges::any_of(above, [&](ObjectId id) { return pair.topology().grid(id) != nullptr; });
}

}  // namespace

}  // namespace ayatori::capi

using namespace ayatori;
using namespace ayatori::capi;

extern "C" {

long nwtopo_get_hops(nwtopo_topology_t topology, nwtopo_obj_t from, nwtopo_obj_t to) {
  return with_pair(topology, from, to, device_of, [&](const Pair& pair) -> long {
    const std::uint32_t count = hops(pair.topology(), pair.from, pair.to);
    if (count == unreachable) return no_route(pair);
    return count;
  });
}

int nwtopo_get_distances(nwtopo_topology_t topology, unsigned num_objs, nwtopo_obj_t* objs, unsigned* matrix) {
  return with_loaded(topology, [&](const Loaded& here) -> int {
    if (matrix == nullptr && num_objs > 0) return refuse(EINVAL, "the pointer to the matrix is NULL");
    const auto ids = devices_of(here, num_objs, objs, false);
    if (!ids) return failed;
    static_assert(unreachable == NWTOPO_UNREACHABLE);
    std::ranges::copy(distances(*here.topology, *ids), matrix);
    return 0;
  });
}

unsigned long nwtopo_get_num_routes(nwtopo_topology_t topology, nwtopo_obj_t from, nwtopo_obj_t to) {
  return with_pair(topology, from, to, device_of, [&](const Pair& pair) -> unsigned long {
    const std::uint64_t count = count_routes(pair.topology(), pair.from, pair.to);
    if (count == 0) return no_route(pair);
    return count;
  });
}

long nwtopo_get_route(nwtopo_topology_t topology, nwtopo_obj_t from, nwtopo_obj_t to, unsigned long which,
                      unsigned max_links, struct nwtopo_link* links) {
  return with_pair(topology, from, to, device_of, [&](const Pair& pair) -> long {
    return give_route(pair, by_shortest_path(pair, which), max_links, links);
  });
}

long nwtopo_get_routed_path(nwtopo_topology_t topology, nwtopo_obj_t from, nwtopo_obj_t to, unsigned path,
                            unsigned max_links, struct nwtopo_link* links) {
  return with_pair(topology, from, to, device_of, [&](const Pair& pair) -> long {
    if (pair.loaded->routes) return give_route(pair, by_tables(pair, path), max_links, links);
    if (!goes_by_dimensions(pair)) return refuse(ENODATA, "no forwarding tables were given");
    if (path != 0) return refuse(ENOENT, "no path {}: in a grid there is one, by dimension order", path);
    return give_route(pair, by_shortest_path(pair, 0), max_links, links);
  });
}

long nwtopo_get_common_ancestors(nwtopo_topology_t topology, nwtopo_obj_t a, nwtopo_obj_t b, unsigned max_objs,
                                 nwtopo_obj_t* objs) {
  return with_pair(topology, a, b, id_of, [&](const Pair& pair) -> long {
    return give(*pair.loaded, common_ancestors(pair.topology(), pair.from, pair.to), max_objs, objs);
  });
}

long nwtopo_get_nearest_machines(nwtopo_topology_t topology, nwtopo_obj_t from, unsigned max_machines,
                                 nwtopo_obj_t* machines) {
  return with_object(topology, from, device_of, [&](const Loaded& here, ObjectId id) -> long {
    return give(here, nearest_machines(*here.topology, id, max_machines), max_machines, machines);
  });
}

long nwtopo_get_machines_under(nwtopo_topology_t topology, nwtopo_obj_t obj, unsigned max_machines,
                               nwtopo_obj_t* machines) {
  return with_object(topology, obj, id_of, [&](const Loaded& here, ObjectId id) -> long {
    return give(here, machines_under(*here.topology, id), max_machines, machines);
  });
}

int nwtopo_get_cut(nwtopo_topology_t topology, unsigned num_a, nwtopo_obj_t* a, unsigned num_b, nwtopo_obj_t* b,
                   struct nwtopo_cut* cut) {
  return with_loaded(topology, [&](const Loaded& here) -> int {
    if (cut == nullptr) return refuse(EINVAL, "the pointer to the answer is NULL");
    const auto from = devices_of(here, num_a, a, true);
    const auto to = from ? devices_of(here, num_b, b, true) : std::nullopt;
    if (!to) return failed;
    const auto narrowest = cut_between(*here.topology, *from, *to);
    if (!narrowest) return refuse(narrowest.error());
    *cut = {};
    cut->bandwidth = narrowest->bandwidth;
    cut->injection = narrowest->injection;
    cut->oversubscription = narrowest->oversubscription();
    cut->num_links = narrowest->num_links;
    return 0;
  });
}

}  // extern "C"
