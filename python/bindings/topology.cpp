#include "ayatori/topology/topology.hpp"

#include <nanobind/ndarray.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>

#include "ayatori/sources/host_environment.hpp"
#include "ayatori/sources/topology.hpp"
#include "ayatori/topology/diff.hpp"
#include "ayatori/topology/faults.hpp"
#include "ayatori/topology/grid.hpp"
#include "ayatori/topology/host_names.hpp"
#include "ayatori/topology/image.hpp"
#include "ayatori/topology/network_of.hpp"
#include "ayatori/topology/queries.hpp"
#include "ayatori/topology/subset.hpp"
#include "ayatori/topology/table_routes.hpp"
#include "bindings.hpp"

namespace ayatori::python {

namespace {

/// nanobind holds no pointers to const.
struct Handle {
  TopologyPtr topology;
  std::shared_ptr<const HostNames> aliases = nullptr;  // nullptr: none were given
};
using Ids = std::vector<ObjectId>;

/// A link as one row of NumPy's structured array; python/ayatori/nwtopo/objects.py names these fields.
struct LinkRow {
  ObjectId from, to;
  double bandwidth, latency;
  std::uint32_t from_port, to_port, plane;
  std::uint32_t from_nic, to_nic;  // no_nic at a router
  std::uint8_t up, degraded;
};
static_assert(sizeof(LinkRow) == 56);

LinkRow row_of(ObjectId from, const TopologyLink& link) {
  return {from,
          link.to,
          link.rate.bytes_per_second(),
          link.latency * 1e-9,
          link.from_port,
          link.to_port,
          link.plane,
          link.from_nic,
          link.to_nic,
          link.state == LinkState::up,
          link.degraded};
}

/// NumPy's array over the vector itself, which lives as long as the array does.
template <typename Item, typename... Lengths>
auto as_array(std::vector<Item> items, Lengths... lengths) {
  auto kept = std::make_unique<std::vector<Item>>(std::move(items));
  Item* const first = kept->data();
  const nb::capsule owner(kept.release(),
                          [](void* vector) noexcept { delete static_cast<std::vector<Item>*>(vector); });
  return nb::ndarray<nb::numpy, Item>(first, {static_cast<std::size_t>(lengths)...}, owner);
}

auto link_bytes(const Handle& handle) {
  std::vector<LinkRow> rows;
  const Topology& topology = *handle.topology;
  for (std::uint32_t height = 0; height <= topology.max_height(); ++height) {
    for (std::uint64_t i = 0; i < topology.count_at(height); ++i) {
      const ObjectId id = topology.object_at(height, i);
      const std::uint32_t count = topology.link_count(id);
      for (std::uint32_t index = 0; index < count; ++index) rows.push_back(row_of(id, topology.link(id, index)));
    }
  }
  const std::size_t size = rows.size() * sizeof(LinkRow);
  auto kept = std::make_unique<std::vector<LinkRow>>(std::move(rows));
  auto* const first = reinterpret_cast<std::uint8_t*>(kept->data());
  const nb::capsule owner(kept.release(),
                          [](void* vector) noexcept { delete static_cast<std::vector<LinkRow>*>(vector); });
  return nb::ndarray<nb::numpy, std::uint8_t>(first, {size}, owner);
}

auto coordinates(const Handle& handle, ObjectId grid) {
  std::vector<std::int32_t> table = machine_coordinates(*handle.topology, grid);
  return as_array(std::move(table), handle.topology->machine_count(), handle.topology->grid(grid)->dimensions.size());
}

/// A NIC as Python gets one; of a router all that is known is the GUID.
struct NicData {
  std::uint32_t rail = 0;
  PlaneId plane = 0;
  Guid guid = 0;
  std::string device;
};

NicData nic_data(const Topology& topology, ObjectId machine, std::uint32_t index) {
  const TopologyNic nic = topology.nic(machine, index);
  return {nic.rail, nic.plane, nic.guid, std::string(nic.device)};
}

NicData device_at(const Topology& topology, ObjectId id, std::uint32_t nic) {
  if (nic != no_nic) return nic_data(topology, id, nic);
  NicData found;
  if (topology.kind(id) == ObjectKind::router) found.guid = topology.router_guid(id);
  return found;
}

std::optional<std::uint32_t> number_or_none(std::uint32_t nic) {
  return nic == no_nic ? std::nullopt : std::optional(nic);
}

/// A link as Python gets one; ends are ids of objects.
struct LinkData {
  ObjectId from, to;
  std::uint32_t from_port, to_port, plane;
  std::string rate;
  double bandwidth, latency;
  bool up, degraded;
  std::optional<std::uint32_t> from_nic, to_nic;
  NicData from_device, to_device;
};

LinkData link_data(const Topology& topology, ObjectId from, std::uint32_t index) {
  const TopologyLink link = topology.link(from, index);
  const LinkRow row = row_of(from, link);
  return {row.from,
          row.to,
          row.from_port,
          row.to_port,
          row.plane,
          to_string(link.rate),
          row.bandwidth,
          row.latency,
          row.up != 0,
          row.degraded != 0,
          number_or_none(link.from_nic),
          number_or_none(link.to_nic),
          device_at(topology, from, link.from_nic),
          device_at(topology, link.to, link.to_nic)};
}

std::vector<LinkData> as_links(const Handle& handle, const std::vector<RouteStep>& route) {
  std::vector<LinkData> links;
  for (const RouteStep& step : route) {
    links.push_back(link_data(transit_of(*handle.topology), step.from, step.index));
  }
  return links;
}

std::vector<LinkData> route(const Handle& handle, ObjectId from, ObjectId to, std::uint64_t which) {
  return as_links(handle, unwrap(shortest_route(*handle.topology, from, to, which)));
}

std::vector<LinkData> routed_path(const Handle& handle, const TableRoutes& routes, ObjectId from, ObjectId to,
                                  std::uint32_t path) {
  return as_links(handle, unwrap(routes.route(*handle.topology, from, to, path)));
}

std::vector<Difference> differences(const Handle& before, const Handle& after) {
  return difference(*before.topology, *after.topology);
}

void bind_links_and_differences(nb::module_& module) {
  nb::class_<NicData>(module, "TopologyNic", "A network adapter; see ayatori.nwtopo.Nic.")
      .def_ro("rail", &NicData::rail)
      .def_ro("plane", &NicData::plane, "Index into Topology.planes.")
      .def_ro("guid", &NicData::guid)
      .def_prop_ro("device", [](const NicData& nic) { return text(nic.device); });
  nb::class_<LinkData>(module, "TopologyLink", "A directed link; see ayatori.nwtopo.Link.")
      .def_ro("from_id", &LinkData::from, "Id of the object that it leaves.")
      .def_ro("to_id", &LinkData::to, "Id of the object that it reaches.")
      .def_ro("from_port", &LinkData::from_port)
      .def_ro("to_port", &LinkData::to_port)
      .def_ro("plane", &LinkData::plane, "Index into Topology.planes.")
      .def_ro("rate", &LinkData::rate)
      .def_ro("bandwidth", &LinkData::bandwidth)
      .def_ro("latency", &LinkData::latency, "In seconds.")
      .def_ro("up", &LinkData::up)
      .def_ro("degraded", &LinkData::degraded)
      .def_ro("from_nic", &LinkData::from_nic)
      .def_ro("to_nic", &LinkData::to_nic)
      .def_ro("from_device", &LinkData::from_device)
      .def_ro("to_device", &LinkData::to_device);
  nb::class_<Difference>(module, "TopologyDifference",
                         "What two topologies do not share; see ayatori.nwtopo.Difference.")
      .def_prop_ro("type",
                   [](const Difference& found) {
                     constexpr std::array words = {"added", "removed", "changed"};
                     return words[static_cast<std::size_t>(found.type)];
                   })
      .def_ro("is_link", &Difference::is_link)
      .def_prop_ro("name", [](const Difference& found) { return text(found.name); })
      .def_prop_ro("detail", [](const Difference& found) { return text(found.detail); });
}

void bind_object_calls(nb::class_<Handle>& bound) {
  bound.def(
           "contains", [](const Handle& h, ObjectId id) { return h.topology->contains(id); }, nb::arg("id"))
      .def(
          "kind", [](const Handle& h, ObjectId id) { return to_word(h.topology->kind(id)); }, nb::arg("id"))
      .def(
          "height", [](const Handle& h, ObjectId id) { return h.topology->height(id); }, nb::arg("id"))
      .def(
          "name", [](const Handle& h, ObjectId id) { return text(h.topology->name(id)); }, nb::arg("id"))
      .def(
          "find",
          [](const Handle& h, std::string_view name) { return find_by_name(*h.topology, name, h.aliases.get()); },
          nb::arg("name"))
      .def(
          "nic_count", [](const Handle& h, ObjectId id) { return h.topology->nic_count(id); }, nb::arg("id"))
      .def(
          "parent_count", [](const Handle& h, ObjectId id) { return h.topology->parent_count(id); }, nb::arg("id"))
      .def(
          "parent", [](const Handle& h, ObjectId id, std::uint32_t i) { return h.topology->parent(id, i); },
          nb::arg("id"), nb::arg("index"))
      .def(
          "child_count", [](const Handle& h, ObjectId id) { return h.topology->child_count(id); }, nb::arg("id"))
      .def(
          "child", [](const Handle& h, ObjectId id, std::uint64_t i) { return h.topology->child(id, i); },
          nb::arg("id"), nb::arg("index"))
      .def(
          "link_count", [](const Handle& h, ObjectId id) { return h.topology->link_count(id); }, nb::arg("id"))
      .def(
          "link", [](const Handle& h, ObjectId id, std::uint32_t i) { return link_data(*h.topology, id, i); },
          nb::arg("id"), nb::arg("index"))
      .def(
          "nic", [](const Handle& h, ObjectId id, std::uint32_t i) { return nic_data(*h.topology, id, i); },
          nb::arg("id"), nb::arg("index"))
      .def(
          "grid_dimensions", [](const Handle& h, ObjectId id) { return h.topology->grid(id)->dimensions; },
          nb::arg("grid"))
      .def(
          "grid_periodic", [](const Handle& h, ObjectId id) { return h.topology->grid(id)->periodic; }, nb::arg("grid"))
      .def(
          "grid_reference", [](const Handle& h, ObjectId id) { return h.topology->grid(id)->reference; },
          nb::arg("grid"))
      .def(
          "grid_dense", [](const Handle& h, ObjectId id) { return h.topology->grid(id)->dense; }, nb::arg("grid"))
      .def(
          "grid_point",
          [](const Handle& h, ObjectId grid, ObjectId id) { return point_in_grid(*h.topology, grid, id); },
          nb::arg("grid"), nb::arg("id"))
      .def(
          "grid_child",
          [](const Handle& h, ObjectId grid, std::uint64_t point) -> std::optional<ObjectId> {
            const ObjectId child = h.topology->grid_child(grid, point);
            return child == no_object ? std::nullopt : std::optional(child);
          },
          nb::arg("grid"), nb::arg("point"));
}

void bind_queries(nb::class_<Handle>& bound) {
  bound
      .def("coordinates", &coordinates, "A row a machine, a column a dimension; -1 for machines outside of the grid.",
           nb::arg("grid"))
      .def("link_bytes", &link_bytes, "LinkRow after LinkRow.")
      .def(
          "hops", [](const Handle& h, ObjectId a, ObjectId b) { return hops(*h.topology, a, b); }, WithoutGil(),
          nb::arg("a"), nb::arg("b"))
      .def(
          "distances",
          [](const Handle& h, const Ids& ids) {
            std::vector<std::uint32_t> matrix;
            {
              const nb::gil_scoped_release without_gil;
              matrix = distances(*h.topology, ids);
            }
            return as_array(std::move(matrix), ids.size(), ids.size());
          },
          nb::arg("ids"))
      .def(
          "count_routes", [](const Handle& h, ObjectId a, ObjectId b) { return count_routes(*h.topology, a, b); },
          nb::arg("a"), nb::arg("b"))
      .def("route", &route, nb::arg("a"), nb::arg("b"), nb::arg("which"))
      .def("routed_path", &routed_path, nb::arg("tables"), nb::arg("a"), nb::arg("b"), nb::arg("path"));
}

void bind_nics(nb::class_<Handle>& bound) {
  bound
      .def(
          "nic_hops",
          [](const Handle& h, ObjectId a, std::uint32_t a_nic, ObjectId b, std::uint32_t b_nic) {
            return nic_hops(*h.topology, a, a_nic, b, b_nic);
          },
          nb::arg("a"), nb::arg("a_nic"), nb::arg("b"), nb::arg("b_nic"))
      .def(
          "nearest_nic",
          [](const Handle& h, ObjectId from, std::uint32_t nic, ObjectId to) {
            return nearest_nic(*h.topology, from, nic, to);
          },
          nb::arg("from_"), nb::arg("nic"), nb::arg("to"))
      .def(
          "find_nic",
          [](const Handle& h, Guid guid) -> std::optional<std::pair<ObjectId, std::uint32_t>> {
            const auto found = find_nic(*h.topology, guid);
            return found ? std::optional(std::pair(found->machine, found->index)) : std::nullopt;
          },
          nb::arg("guid"))
      .def("find_guid", [](const Handle& h, Guid guid) { return find_by_guid(*h.topology, guid); }, nb::arg("guid"));
}

void bind_relations(nb::class_<Handle>& bound) {
  bound
      .def(
          "common_ancestors",
          [](const Handle& h, ObjectId a, ObjectId b) { return common_ancestors(*h.topology, a, b); }, nb::arg("a"),
          nb::arg("b"))
      .def(
          "nearest_machines",
          [](const Handle& h, ObjectId id, std::size_t count) { return nearest_machines(*h.topology, id, count); },
          nb::arg("id"), nb::arg("count"))
      .def(
          "machines_under",
          [](const Handle& h, ObjectId id) {
            Ids machines = machines_under(*h.topology, id);
            const std::size_t count = machines.size();
            return as_array(std::move(machines), count);
          },
          nb::arg("id"))
      .def(
          "cut", [](const Handle& h, const Ids& a, const Ids& b) { return unwrap(cut_between(*h.topology, a, b)); },
          WithoutGil(), nb::arg("a"), nb::arg("b"));
}

void bind_cut(nb::module_& module) {
  nb::class_<Cut>(module, "Cut")
      .def_ro("bandwidth", &Cut::bandwidth)
      .def_ro("injection", &Cut::injection)
      .def_ro("num_links", &Cut::num_links)
      .def_prop_ro("oversubscription", &Cut::oversubscription);
}

/// What a topology has, and what can be made of it.
void bind_whole(nb::class_<Handle>& bound) {
  bound.def_prop_ro("machine_count", [](const Handle& h) { return h.topology->machine_count(); })
      .def_prop_ro("max_height", [](const Handle& h) { return h.topology->max_height(); })
      .def(
          "count_at", [](const Handle& h, std::uint32_t height) { return h.topology->count_at(height); },
          nb::arg("height"))
      .def(
          "object_at",
          [](const Handle& h, std::uint32_t height, std::uint64_t i) { return h.topology->object_at(height, i); },
          nb::arg("height"), nb::arg("index"))
      .def(
          "machine", [](const Handle& h, std::uint64_t i) { return h.topology->machine(i); }, nb::arg("index"))
      .def_prop_ro("planes",
                   [](const Handle& h) {
                     std::vector<std::string> names;
                     for (const Plane& plane : h.topology->planes()) names.push_back(plane.name);
                     return names;
                   })
      .def_prop_ro("warnings", [](const Handle& h) { return texts(h.topology->warnings()); })
      .def_prop_ro("shared_bytes", [](const Handle& h) { return h.topology->shared_bytes(); })
      .def_prop_ro("private_bytes", [](const Handle& h) { return h.topology->private_bytes(); })
      .def(
          "take_out",
          [](const Handle& h, std::string_view faults) {
            return Handle{unwrap(take_out(h.topology, faults)), h.aliases};
          },
          nb::arg("faults"))
      .def(
          "with_aliases",
          [](const Handle& h, std::string_view text, std::string_view file) {
            return Handle{h.topology, std::make_shared<HostNames>(unwrap(HostNames::parse(*h.topology, text, file)))};
          },
          nb::arg("text"), nb::arg("file"))
      .def(
          "shrink",
          [](const Handle& h, const Ids& machines) {
            return Handle{unwrap(make_subset(h.topology, machines)), h.aliases};
          },
          nb::arg("machines"))
      .def("difference", &differences, "What has to happen to this one to become the other.", nb::arg("after"))
      .def(
          "network", [](const Handle& h) { return unwrap(network_of(*h.topology)); }, WithoutGil())
      .def("cache_bytes",
           [](const Handle& h) {
             const auto bytes = unwrap(cache_bytes(*h.topology));
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def(
          "write_cache", [](const Handle& h, std::string_view path) { unwrap(write_cache(*h.topology, path)); },
          WithoutGil(), nb::arg("path"));
}

void bind_ways_to_open(nb::module_& module) {
  module.def(
      "open_topology",
      [](std::string_view source, bool physical_view, std::string_view host_pattern) {
        return Handle{unwrap(open_topology(source, {{std::string(host_pattern)}, physical_view}))};
      },
      WithoutGil(), nb::arg("source"), nb::arg("physical_view"), nb::arg("host_pattern"));
  module.def(
      "open_cache_bytes",
      [](const nb::bytes& bytes) {
        const auto* const first = static_cast<const std::byte*>(bytes.data());
        return Handle{unwrap(copy_image({first, bytes.size()}, "the bytes"))};
      },
      nb::arg("bytes"));
  nb::class_<TableRoutes>(module, "TableRoutes", "See ayatori/topology/table_routes.hpp.")
      .def_prop_ro("warnings", [](const TableRoutes& routes) { return texts(routes.warnings()); });
  module.def(
      "parse_table_routes",
      [](std::string_view source, std::string_view host_pattern, std::string_view tables, std::string_view file) {
        return unwrap(TableRoutes::parse(unwrap(open_source(source, {std::string(host_pattern)})), tables, file));
      },
      WithoutGil(), nb::arg("source"), nb::arg("host_pattern"), nb::arg("tables"), nb::arg("file"));
  module.def(
      "open_formula",
      [](std::string_view source) {
        const TopologyPtr formula = unwrap(open_formula(source));
        return formula == nullptr ? std::nullopt : std::optional(Handle{formula});
      },
      "The topology of a source that is a formula, in constant time; None for all others.", nb::arg("source"));
}

void bind_environment(nb::module_& module) {
  const auto environment = [] {
    return HostEnvironment{[](const char* name) -> const char* { return std::getenv(name); }};
  };
  module.def("automatic_source", [environment] { return automatic_source(environment()); });
  module.def("job_hosts", [environment] { return unwrap(job_hosts(environment())); });
}

}  // namespace

void bind_topology(nb::module_& module) {
  bind_links_and_differences(module);
  bind_cut(module);
  nb::class_<Handle> bound(module, "Topology", "See ayatori/topology/topology.hpp; objects are ids.");
  bind_whole(bound);
  bind_object_calls(bound);
  bind_queries(bound);
  bind_nics(bound);
  bind_relations(bound);
  bind_ways_to_open(module);
  bind_environment(module);
}

}  // namespace ayatori::python
