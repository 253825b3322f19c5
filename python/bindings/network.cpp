#include "ayatori/network/network.hpp"
#include "ayatori/network/plane_network.hpp"

#include "ayatori/exports/exports.hpp"
#include "ayatori/network/job.hpp"
#include "ayatori/network/levels.hpp"
#include "ayatori/network/rails.hpp"
#include "ayatori/network/shape.hpp"
#include "bindings.hpp"

#include <nanobind/stl/tuple.h>

namespace ayatori::python {

namespace {

const char* to_word(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::router:
      return "router";
    case DeviceKind::nic:
      return "nic";
    case DeviceKind::aggregation:
      return "aggregation";
  }
  return "";
}

const char* to_word(ShapeKind kind) {
  switch (kind) {
    case ShapeKind::fat_tree:
      return "fat_tree";
    case ShapeKind::grid:
      return "grid";
    case ShapeKind::full:
      return "full";
    case ShapeKind::hyperx:
      return "hyperx";
    case ShapeKind::dragonfly:
      return "dragonfly";
    case ShapeKind::dragonfly_plus:
      return "dragonfly_plus";
    case ShapeKind::graph:
      return "graph";
  }
  return "";
}

std::vector<std::pair<PortId, PortId>> cables(const Network& network) {
  std::vector<std::pair<PortId, PortId>> found;
  found.reserve(network.link_count());
  for (PortId id = 0; id < network.port_count(); ++id) {
    const PortId peer = network.port(id).peer;
    if (peer != no_id && id < peer) found.emplace_back(id, peer);
  }
  return found;
}

std::optional<std::vector<int>> levels_of(const Network& network) {
  const auto levels = rank_levels(network);
  if (!levels) return std::nullopt;
  return std::vector<int>(levels->level.begin(), levels->level.end());
}

template <typename T>
std::vector<T> as_list(std::span<const T> items) {
  return {items.begin(), items.end()};
}

std::string describe(const Network& network) {
  return "<Network of " + counted(network.machines().size(), "machine") + ", " +
         counted(network.router_count(), "router") + " and " + counted(network.link_count(), "link") + ">";
}

/// What is too large to draw is described.
nb::str picture_in_notebook(const Network& network) {
  std::string svg;
  const auto drawn = export_network(network, "svg", [&](std::string_view piece) { svg += piece; });
  return text(drawn ? svg : "<pre>&lt;" + describe(network).substr(1, describe(network).size() - 2) + "&gt;</pre>");
}

void bind_ports_and_machines(nb::module_& module) {
  nb::class_<Port>(module, "Port")
      .def_ro("peer", &Port::peer)
      .def_ro("device", &Port::device)
      .def_ro("guid", &Port::guid)
      .def_ro("lid", &Port::lid)
      .def_ro("lmc", &Port::lmc)
      .def_ro("number", &Port::number)
      .def("__repr__",
           [](const Port& port) {
             return "<Port " + std::to_string(port.number) + " of device " + std::to_string(port.device) + ", " +
                    (port.connected() ? to_string(port.rate) : "not connected") + ">";
           })
      .def_prop_ro("connected", &Port::connected)
      .def_prop_ro("rate", [](const Port& port) { return to_string(port.rate); })
      .def_prop_ro("bytes_per_second", [](const Port& port) { return port.rate.bytes_per_second(); })
      .def_ro("latency_ns", &Port::latency, "Of the cable and the device at its end; 0: not known.");

  nb::class_<Machine>(module, "Machine")
      .def_prop_ro("name", [](const Machine& machine) { return text(machine.name); })
      .def("__repr__",
           [](const Machine& machine) {
             return text("<Machine " + machine.name + " with " + counted(machine.endpoints.size(), "endpoint") + ">");
           })
      .def_ro("named", &Machine::named)
      .def_ro("endpoints", &Machine::endpoints);
}

/// The id itself; raises IndexError unless the network has that device.
DeviceId device_in(const Network& network, DeviceId id) {
  if (id >= network.device_count()) throw nb::index_error("no such device");
  return id;
}

PortId port_in(const Network& network, PortId id) {
  if (id >= network.port_count()) throw nb::index_error("no such port");
  return id;
}

void bind_devices(nb::class_<Network>& bound) {
  bound
      .def(
          "name", [](const Network& network, DeviceId id) { return text(network.name(device_in(network, id))); },
          nb::arg("device"))
      .def(
          "label", [](const Network& network, DeviceId id) { return text(network.label(device_in(network, id))); },
          nb::arg("device"), "The name, with GUID and LID if another device has the same name.")
      .def(
          "lid",
          [](const Network& network, DeviceId id) {
            return network.is_router(device_in(network, id)) ? network.ports(id)[0].lid : Lid{0};
          },
          nb::arg("device"), "A router's LID, that of its port 0; 0 for other devices.")
      .def(
          "kind",
          [](const Network& network, DeviceId id) { return to_word(network.device(device_in(network, id)).kind); },
          nb::arg("device"))
      .def(
          "guid", [](const Network& network, DeviceId id) { return network.device(device_in(network, id)).guid; },
          nb::arg("device"))
      .def(
          "rail", [](const Network& network, DeviceId id) { return network.device(device_in(network, id)).rail; },
          nb::arg("device"))
      .def(
          "machine_of",
          [](const Network& network, DeviceId id) { return network.device(device_in(network, id)).machine; },
          nb::arg("device"))
      .def(
          "port", [](const Network& network, PortId id) -> const Port& { return network.port(port_in(network, id)); },
          nb::rv_policy::reference_internal, nb::arg("port"))
      .def(
          "cabled_port",
          [](const Network& network, DeviceId device, PortNumber number) -> std::optional<PortId> {
            if (device >= network.device_count() || number > network.device(device).port_count) return std::nullopt;
            const PortId port = network.port_id(device, number);
            return network.port(port).connected() ? std::optional(port) : std::nullopt;
          },
          nb::arg("device"), nb::arg("number"), "The id of a device's port; None if it has no such port, or no cable.")
      .def("cables", &cables, "Both port ids of every cable.")
      .def(
          "describe_link",
          [](const Network& network, PortId id) { return text(network.describe_link(port_in(network, id))); },
          nb::arg("link"))
      .def(
          "router_of",
          [](const Network& network, PortId endpoint) -> std::optional<DeviceId> {
            const DeviceId router = network.router_of(port_in(network, endpoint));
            return router == no_id ? std::nullopt : std::optional(router);
          },
          nb::arg("endpoint"));
}

void bind_purposes(nb::module_& module) {
  nb::enum_<Purpose>(module, "Purpose", "What travels on a network; see ayatori/network/purpose.hpp.")
      .value("everything", Purpose::everything)
      .value("collectives", Purpose::collectives)
      .value("neighbours", Purpose::neighbours)
      .value("storage", Purpose::storage)
      .value("sockets", Purpose::sockets);
  nb::class_<PlaneUse>(module, "PlaneUse", "What a plane is for.")
      .def_prop_ro("fibre_channel", &PlaneUse::fibre_channel)
      .def_prop_ro("purposes", &PlaneUse::purposes, "Of collectives, neighbours and storage.")
      .def("carries", &PlaneUse::carries, nb::arg("purpose"));
}

void bind_model(nb::module_& module) {
  bind_ports_and_machines(module);
  bind_purposes(module);
  nb::class_<Network> bound(module, "Network", "An immutable network; see ayatori/network/network.hpp.");
  bound.def("__repr__", &describe)
      .def("_repr_html_", &picture_in_notebook, "The picture that `ayatori show --svg` draws, for notebooks.")
      .def_prop_ro("router_count", &Network::router_count)
      .def_prop_ro("device_count", &Network::device_count)
      .def_prop_ro("link_count", &Network::link_count)
      .def_prop_ro("machines", [](const Network& network) { return as_list(network.machines()); })
      .def_prop_ro("machines_in_order", [](const Network& network) { return as_list(network.machines_in_order()); })
      .def_prop_ro("endpoints", [](const Network& network) { return as_list(network.endpoints()); })
      .def_prop_ro("aggregation_ports", [](const Network& network) { return as_list(network.aggregation_ports()); })
      .def_prop_ro("degraded_links", [](const Network& network) { return as_list(network.degraded_links()); })
      .def_prop_ro("direct", &Network::direct, "Whether every machine has its router built in.")
      .def_prop_ro("planes",
                   [](const Network& network) {
                     std::vector<std::string> names;
                     for (const Plane& plane : network.planes()) names.push_back(plane.name);
                     return names;
                   })
      .def_prop_ro(
          "plane_uses",
          [](const Network& network) {
            std::vector<PlaneUse> uses;
            for (const Plane& plane : network.planes()) uses.push_back(plane.use);
            return uses;
          },
          "By plane: what it is for.")
      .def_prop_ro(
          "background",
          [](const Network& network) {
            std::vector<std::tuple<PortId, PortId, double>> flows;
            for (const BackgroundFlow& flow : network.background()) {
              flows.emplace_back(flow.from, flow.to, flow.rate.bytes_per_second());
            }
            return flows;
          },
          "Background traffic: from which port of a NIC to which, and its demand in bytes a second.")
      .def_prop_ro(
          "warnings", [](const Network& network) { return texts(network.warnings()); },
          "What the source could not read, one line each.")
      .def(
          "plane_of", [](const Network& network, DeviceId id) { return network.device(device_in(network, id)).plane; },
          nb::arg("device"))
      .def("levels", &levels_of, "Tree level of each router, or None if the network is no tree.")
      .def("shape", &recognise)
      .def(
          "on_plane", [](const Network& network, PlaneId plane) { return unwrap(network_of_plane(network, plane)); },
          nb::arg("plane"), "One plane by itself; see ayatori/network/plane_network.hpp.");
  bind_devices(bound);
}

void bind_shape(nb::module_& module) {
  nb::class_<Shape>(module, "Shape")
      .def("__repr__", [](const Shape& shape) { return text("<Shape: " + shape.summary + ">"); })
      .def_prop_ro("kind", [](const Shape& shape) { return to_word(shape.kind); })
      .def_ro("routers", &Shape::routers)
      .def_ro("cables", &Shape::cables)
      .def_ro("oversubscription", &Shape::oversubscription)
      .def_ro("dimensions", &Shape::dimensions)
      .def_ro("periodic", &Shape::periodic)
      .def_ro("at", &Shape::at, "Of a grid or HyperX: the router at each point, the last coordinate running fastest.")
      .def_prop_ro(
          "groups",
          [](const Shape& shape) {
            std::vector<std::vector<DeviceId>> groups;
            for (const RouterGroup& group : shape.groups) {
              groups.push_back(group.routers);
              groups.back().insert(groups.back().end(), group.spines.begin(), group.spines.end());
            }
            return groups;
          },
          "The routers of each group of a dragonfly or dragonfly+, leaves before spines.")
      .def_ro("hosts", &Shape::hosts)
      .def_ro("machines", &Shape::machines)
      .def_ro("rails", &Shape::rails)
      .def_prop_ro("summary", [](const Shape& shape) { return text(shape.summary); })
      .def_prop_ro("irregularities",
                   [](const Shape& shape) {
                     nb::list items;
                     for (const Irregularity& irregular : shape.irregularities) items.append(text(irregular.text));
                     return items;
                   })
      .def_prop_ro(
          "irregularity_kinds",
          [](const Shape& shape) {
            nb::list kinds;
            for (const Irregularity& irregular : shape.irregularities) kinds.append(text(to_words(irregular.kind)));
            return kinds;
          },
          "The kind of each irregularity, in words: \"missing cables\". Those of one kind stand together.");
}

Job job_from_hostfile(const Network& network, std::string_view contents, std::string_view file,
                      std::uint32_t ranks_per_machine, bool network_order) {
  const auto hosts = unwrap(parse_hostfile(contents, file));
  return unwrap(
      place_job(network, hosts, file, ranks_per_machine, network_order ? RankOrder::network : RankOrder::as_given));
}

Job job_of_hosts(const Network& network, const std::vector<std::pair<std::string, std::uint32_t>>& hosts,
                 std::string_view file) {
  std::vector<HostEntry> entries;
  for (const auto& [host, ranks] : hosts) entries.push_back({host, ranks, 0});
  return unwrap(place_job(network, entries, file, 0, RankOrder::as_given));
}

/// The same runs of ranks in another order: the i-th is now the one that was at places[i].
Job job_in_order(const Job& job, const std::vector<std::size_t>& places) {
  const std::vector<RankRun> runs = job.runs();
  std::vector<bool> taken(runs.size(), false);
  std::vector<RankRun> ordered;
  for (const std::size_t place : places) {
    if (place >= taken.size() || taken[place]) throw nb::value_error("each place of the job once");
    taken[place] = true;
    ordered.push_back(runs[place]);
  }
  if (places.size() != taken.size()) throw nb::value_error("each place of the job once");
  Job found = Job::of_runs(ordered);
  found.called = job.called;
  return found;
}

Candidates candidates(bool unnamed_hcas) { return unnamed_hcas ? Candidates::all : Candidates::named; }

std::vector<Job> random_jobs(const Network& network, std::size_t count, std::size_t size,
                             std::uint32_t ranks_per_machine, std::uint64_t seed, bool unnamed_hcas) {
  Random random(seed);
  std::vector<Job> jobs;
  for (std::size_t i = 0; i < count; ++i) {
    jobs.push_back(unwrap(random_job(network, size, ranks_per_machine, random, candidates(unnamed_hcas))));
  }
  return jobs;
}

void bind_jobs(nb::module_& module) {
  nb::class_<Job>(module, "Job")
      .def("__repr__",
           [](const Job& job) {
             return "<Job of " + counted(job.rank_count(), "rank") + " on " +
                    counted(job.machines().size(), "machine") + ">";
           })
      .def_prop_ro("rank_count", &Job::rank_count)
      .def_prop_ro("machines", &Job::machines, "Each machine once, in the order of their first ranks.")
      .def_ro("machine_of_rank", &Job::machine_of_rank)
      .def_prop_ro(
          "runs",
          [](const Job& job) {
            std::vector<std::pair<MachineId, std::uint32_t>> runs;
            for (const auto& [machine, ranks] : job.runs()) runs.emplace_back(machine, ranks);
            return runs;
          },
          "[(machine, ranks)]: ranks that follow each other on one machine, from rank 0 on.")
      .def(
          "name_of",
          [](const Job& job, const Network& network, MachineId machine) {
            if (machine >= network.machines().size()) throw nb::index_error();
            return text(job.name_of(network, machine));
          },
          nb::arg("network"), nb::arg("machine"),
          "What to call a machine in files: as the hostfile does, if that is another of its names.")
      .def("in_order", &job_in_order, "The same runs in another order: the i-th is the one at places[i].",
           nb::arg("places"))
      .def(
          "endpoints", [](const Job& job, const Network& network) { return endpoints_of_ranks(network, job); },
          nb::arg("network"));
  module.def("job_from_hostfile", &job_from_hostfile, nb::arg("network"), nb::arg("contents"), nb::arg("file"),
             nb::arg("ranks_per_machine"), nb::arg("network_order"));
  module.def(
      "hosts_in_hostfile",
      [](std::string_view contents, std::string_view file) {
        std::vector<std::pair<std::string, std::uint32_t>> hosts;
        for (const HostEntry& entry : unwrap(parse_hostfile(contents, file)))
          hosts.emplace_back(entry.host, entry.slots);
        return hosts;
      },
      nb::arg("contents"), nb::arg("file"),
      "The names in a hostfile, in its order, each with its slots; 0: they are not given.");
  module.def("job_of_hosts", &job_of_hosts, nb::arg("network"), nb::arg("hosts"), nb::arg("file"));
  module.def("random_jobs", &random_jobs, nb::arg("network"), nb::arg("count"), nb::arg("size"),
             nb::arg("ranks_per_machine"), nb::arg("seed"), nb::arg("unnamed_hcas"));
  module.def(
      "contiguous_job",
      [](const Network& network, std::size_t size, std::uint32_t ranks_per_machine, bool unnamed_hcas) {
        return unwrap(contiguous_job(network, size, ranks_per_machine, candidates(unnamed_hcas)));
      },
      nb::arg("network"), nb::arg("size"), nb::arg("ranks_per_machine"), nb::arg("unnamed_hcas"));
  module.def(
      "machines_for_jobs",
      [](const Network& network, bool unnamed_hcas) { return machines_for_jobs(network, candidates(unnamed_hcas)); },
      nb::arg("network"), nb::arg("unnamed_hcas"));
}

void bind_rails(nb::module_& module) {
  nb::enum_<RailUse>(module, "RailUse")
      .value("own", RailUse::own)
      .value("aligned", RailUse::aligned)
      .value("striped", RailUse::striped)
      .value("fastest", RailUse::fastest)
      .value("lowest_latency", RailUse::lowest_latency);
  module.def(
      "job_of_nics", [](const Network& network, const Job& job) { return RailMap(network, job, RailUse::own).nics(); },
      nb::arg("network"), nb::arg("job"), "The same machines with a rank for each of their NICs.");
}

}  // namespace

void bind_network(nb::module_& module) {
  bind_model(module);
  bind_shape(module);
  bind_jobs(module);
  bind_rails(module);
}

}  // namespace ayatori::python
