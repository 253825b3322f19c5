#include "ayatori/base/files.hpp"
#include "ayatori/routing/check.hpp"
#include "ayatori/routing/generate.hpp"
#include "ayatori/routing/virtual_lanes.hpp"
#include "ayatori/tables/table_files.hpp"
#include "bindings.hpp"

namespace ayatori::python {

namespace {

void bind_tables(nb::module_& module) {
  nb::class_<Routes>(module, "Routes", "LIDs and forwarding tables of one network.")
      .def("__repr__",
           [](const Routes& routes) {
             return "<Routes: " + counted(routes.lids.lid_count(), "LID") + " on " +
                    counted(routes.tables.router_count(), "router") + ">";
           })
      .def_prop_ro("warnings", [](const Routes& routes) { return texts(routes.warnings); })
      .def_prop_ro("lid_count", [](const Routes& routes) { return routes.lids.lid_count(); })
      .def_prop_ro("last_lid", [](const Routes& routes) { return routes.lids.last(); })
      .def(
          "base_lid", [](const Routes& routes, PortId port) { return routes.lids.of(port).base; }, nb::arg("port"))
      .def(
          "lmc", [](const Routes& routes, PortId port) { return routes.lids.of(port).lmc; }, nb::arg("port"))
      .def(
          "out",
          [](const Routes& routes, DeviceId router, Lid lid) {
            const ForwardingTables& tables = routes.tables;
            if (router >= tables.router_count() || lid > tables.last_lid()) throw nb::index_error("no such entry");
            return tables.out(router, lid);
          },
          nb::arg("router"), nb::arg("lid"))
      .def(
          "count_differences",
          [](const Routes& routes, const Routes& other) {
            return unwrap(count_differences(routes.tables, other.tables));
          },
          "Entries in which the tables differ. Error: they are of different networks.", nb::arg("other"))
      .def(
          "count_base_differences",
          [](const Routes& routes, const Network& network, const Routes& other) {
            return unwrap(count_base_differences(network, routes, other));
          },
          "Entries for base LIDs of adapters in which the tables differ. Error: they are of different networks.",
          nb::arg("network"), nb::arg("other"));

  nb::enum_<PathNumbering>(module, "PathNumbering")
      .value("by_destination", PathNumbering::by_destination)
      .value("by_root", PathNumbering::by_root);
  nb::enum_<Engine>(module, "Engine").value("fat_tree", Engine::fat_tree).value("balanced", Engine::balanced);
  readable(nb::class_<LmcChoice>(module, "LmcChoice"), Named{"lmc", &LmcChoice::lmc}, Named{"paths", &LmcChoice::paths},
           Named{"all_paths", &LmcChoice::all_paths}, Named{"explanation", &LmcChoice::explanation});
  readable(nb::class_<Generated>(module, "Generated"), Named{"lmc", &Generated::lmc},
           Named{"engine", &Generated::engine}, Named{"paths", &Generated::paths},
           Named{"lids_kept", &Generated::lids_kept}, Named{"notes", &Generated::notes})
      .def_ro("routes", &Generated::routes, nb::rv_policy::reference_internal);
  module.def("choose_lmc", [](const Network& network) { return unwrap(choose_lmc(network)); }, nb::arg("network"));
  module.def(
      "generate_routes",
      [](const Network& network, int lmc, const std::vector<std::uint32_t>& endpoint_numbers, PathNumbering numbering,
         const SearchControl& control) {
        return unwrap(generate_routes(network, lmc, endpoint_numbers, numbering, control));
      },
      WithoutGil(), nb::arg("network"), nb::arg("lmc"), nb::arg("endpoint_numbers"), nb::arg("numbering"),
      nb::arg("control") = SearchControl());
}

void bind_search_control(nb::module_& module) {
  nb::class_<SearchControl>(module, "SearchControl",
                            "What a long search and whoever waits for it tell each other, from any thread.")
      .def(nb::init<>())
      .def("__repr__",
           [](const SearchControl& control) {
             return fmt::format("<SearchControl: {} of {} done>", control.done(), control.total());
           })
      .def("stop", &SearchControl::stop, "The search ends soon, with the best that it has.")
      .def_prop_ro("stopped", &SearchControl::stopped)
      .def("expect", &SearchControl::expect, nb::arg("pieces"), "From the search: so much is added to the total.")
      .def("did", &SearchControl::did, nb::arg("pieces") = 1)
      .def_prop_ro("done", &SearchControl::done)
      .def_prop_ro("total", &SearchControl::total);
}

void bind_table_files(nb::module_& module) {
  module.def(
      "fingerprint_of",
      [](const Network& network, const Routes& routes, const std::vector<PortId>& endpoints) {
        return fingerprint_of(network, routes, endpoints);
      },
      WithoutGil(), nb::arg("network"), nb::arg("routes"), nb::arg("endpoints"),
      "16 hexadecimal digits that tell a job's paths from others: see ayatori/tables/tables.hpp.");
  module.def(
      "read_tables",
      [](const std::string& path, const Network& network) {
        return unwrap(parse_tables(unwrap(read_file(path)), path, network));
      },
      WithoutGil(), nb::arg("path"), nb::arg("network"));
  module.def(
      "parse_tables",
      [](std::string_view contents, std::string_view file, const Network& network) {
        return unwrap(parse_tables(contents, file, network));
      },
      nb::arg("contents"), nb::arg("file"), nb::arg("network"));
  module.def(
      "write_tables",
      [](const Network& network, const Routes& routes, const std::string& path, bool comments,
         const Routes* changed_from) {
        const TableFileOptions options{comments, changed_from};
        unwrap(write_file(path, [&](const Sink& sink) { write_tables(network, routes, sink, options); }));
      },
      WithoutGil(), nb::arg("network"), nb::arg("routes"), nb::arg("path"), nb::arg("comments") = true,
      nb::arg("changed_from") = nb::none());
  module.def(
      "table_file_bytes",
      [](const Network& network, const Routes& routes, bool comments, const Routes* changed_from) {
        return table_file_bytes(network, routes, {comments, changed_from});
      },
      WithoutGil(), "How many bytes write_tables() writes.", nb::arg("network"), nb::arg("routes"),
      nb::arg("comments") = true, nb::arg("changed_from") = nb::none());
  module.def(
      "write_guid_to_lid",
      [](const Network& network, const Routes& routes, const std::string& path) {
        unwrap(write_file(path, [&](const Sink& sink) { write_guid_to_lid(network, routes.lids, sink); }));
      },
      nb::arg("network"), nb::arg("routes"), nb::arg("path"));
}

void bind_check(nb::module_& module) {
  nb::class_<LinkBalance>(module, "LinkBalance")
      .def("__repr__",
           [](const LinkBalance& balance) {
             return "<LinkBalance: " + std::string(balance.kind) + ", " + std::to_string(balance.min) + " to " +
                    std::to_string(balance.max) + " LIDs a link>";
           })
      .def_ro("kind", &LinkBalance::kind)
      .def_ro("links", &LinkBalance::links)
      .def_ro("min", &LinkBalance::min)
      .def_ro("max", &LinkBalance::max)
      .def_ro("mean", &LinkBalance::mean);
  nb::class_<DistinctPaths>(module, "DistinctPaths", "How many of a port's paths differ, over pairs of NICs.")
      .def_ro("min", &DistinctPaths::min)
      .def_ro("max", &DistinctPaths::max)
      .def_ro("pairs", &DistinctPaths::pairs)
      .def_prop_ro("mean", &DistinctPaths::mean);
  nb::class_<TableCheck>(module, "TableCheck")
      .def("__repr__",
           [](const TableCheck& check) {
             return text("<TableCheck: " +
                         (check.ok()               ? "good"
                          : check.problems.empty() ? "bad"
                                                   : check.problems.front()) +
                         ">");
           })
      .def_ro("unreachable", &TableCheck::unreachable)
      .def_ro("ports_without_lids", &TableCheck::ports_without_lids)
      .def_ro("looping", &TableCheck::looping)
      .def_ro("unrouted_router_lids", &TableCheck::unrouted_router_lids)
      .def_ro("deadlock_free", &TableCheck::deadlock_free)
      .def_ro("cycle", &TableCheck::cycle)
      .def_ro("longest", &TableCheck::longest)
      .def_prop_ro("parts", [](const TableCheck& check) { return texts(check.parts); })
      .def_ro("balance", &TableCheck::balance)
      .def_ro("paths", &TableCheck::paths)
      .def_ro("idle_links", &TableCheck::idle_links)
      .def_prop_ro("problems", [](const TableCheck& check) { return texts(check.problems); })
      .def_prop_ro("ok", &TableCheck::ok);
  module.def("check_tables", &check_tables, WithoutGil(), nb::arg("network"), nb::arg("routes"));
}

void bind_lanes(nb::module_& module) {
  nb::class_<PathServiceLevels>(module, "PathServiceLevels", "The service level of each path.")
      .def("__repr__",
           [](const PathServiceLevels& levels) {
             return "<PathServiceLevels of " + counted(levels.count(), "path") + ">";
           })
      .def_prop_ro("count", &PathServiceLevels::count);
  nb::class_<SlToVl>(module, "SlToVl", "Which virtual lane each router gives a packet.")
      .def("__repr__", [](const SlToVl&) { return "<SlToVl>"; });
  module.def(
      "parse_path_service_levels",
      [](std::string_view contents, std::string_view file, const Network& network, const Routes& routes) {
        return unwrap(parse_path_service_levels(contents, file, network, routes.lids));
      },
      nb::arg("contents"), nb::arg("file"), nb::arg("network"), nb::arg("routes"));
  module.def(
      "parse_sl_to_vl",
      [](std::string_view contents, std::string_view file, const Network& network) {
        return unwrap(parse_sl_to_vl(contents, file, network));
      },
      nb::arg("contents"), nb::arg("file"), nb::arg("network"));
  readable(nb::class_<Channel>(module, "Channel"), Named{"link", &Channel::link}, Named{"vl", &Channel::vl});
  readable(nb::class_<LaneUse>(module, "LaneUse"), Named{"vl", &LaneUse::vl}, Named{"links", &LaneUse::links},
           Named{"deadlock_free", &LaneUse::deadlock_free});
  readable(nb::class_<LaneCheck>(module, "LaneCheck"), Named{"paths", &LaneCheck::paths},
           Named{"paths_without_sl", &LaneCheck::paths_without_sl}, Named{"discarded", &LaneCheck::discarded},
           Named{"lanes", &LaneCheck::lanes}, Named{"deadlock_free", &LaneCheck::deadlock_free},
           Named{"cycle", &LaneCheck::cycle}, Named{"deadlock_free_at_sl_0", &LaneCheck::deadlock_free_at_sl_0},
           Named{"cycle_at_sl_0", &LaneCheck::cycle_at_sl_0});
  module.def("check_lanes", &check_lanes, WithoutGil(), nb::arg("network"), nb::arg("routes"), nb::arg("levels").none(),
             nb::arg("lanes").none());
}

}  // namespace

void bind_routing(nb::module_& module) {
  bind_search_control(module);
  bind_tables(module);
  bind_table_files(module);
  bind_check(module);
  bind_lanes(module);
}

}  // namespace ayatori::python
