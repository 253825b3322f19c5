#include "ayatori/base/files.hpp"
#include "ayatori/routing/check.hpp"
#include "ayatori/routing/generate.hpp"
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
          "out", [](const Routes& routes, DeviceId router, Lid lid) { return routes.tables.out(router, lid); },
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
  module.def("fingerprint_of", &fingerprint_of, WithoutGil(), nb::arg("network"), nb::arg("routes"),
             "16 hexadecimal digits that tell these tables from others: see ayatori/tables/tables.hpp.");

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
      [](const Network& network, int lmc, const std::vector<std::uint32_t>& endpoint_numbers, PathNumbering numbering) {
        return unwrap(generate_routes(network, lmc, endpoint_numbers, numbering));
      },
      WithoutGil(), nb::arg("network"), nb::arg("lmc"), nb::arg("endpoint_numbers"), nb::arg("numbering"));
}

void bind_table_files(nb::module_& module) {
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
      .def_prop_ro("problems", [](const TableCheck& check) { return texts(check.problems); })
      .def_prop_ro("ok", &TableCheck::ok);
  module.def("check_tables", &check_tables, WithoutGil(), nb::arg("network"), nb::arg("routes"));
}

}  // namespace

void bind_routing(nb::module_& module) {
  bind_tables(module);
  bind_table_files(module);
  bind_check(module);
}

}  // namespace ayatori::python
