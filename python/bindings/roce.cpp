#include "ayatori/artefacts/roce_plan_file.hpp"
#include "ayatori/hashing/hashed_paths.hpp"
#include "ayatori/planning/source_ports.hpp"
#include "bindings.hpp"

namespace ayatori::python {

namespace {

void bind_planned_ports(nb::module_& module) {
  nb::class_<HashedContention>(module, "HashedContention", "See ayatori/planning/source_ports.hpp.")
      .def_ro("steps", &HashedContention::steps)
      .def_ro("free_steps", &HashedContention::free_steps)
      .def_ro("relative_bandwidth", &HashedContention::relative_bandwidth)
      .def_ro("worst_load", &HashedContention::worst_load);
  nb::class_<SourcePorts>(module, "SourcePorts", "See ayatori/planning/source_ports.hpp.")
      .def_ro("ports", &SourcePorts::ports)
      .def_ro("contention", &SourcePorts::contention)
      .def_ro("proven_steps", &SourcePorts::proven_steps)
      .def_ro("undecided_steps", &SourcePorts::undecided_steps);
  nb::class_<HashedPaths>(module, "HashedPaths", "See ayatori/hashing/hashed_paths.hpp.")
      .def("path_count", &HashedPaths::path_count, nb::arg("from_endpoint"), nb::arg("to_endpoint"));
  module.def(
      "hashed_paths",
      [](const Network& network, std::vector<PortId> endpoints, std::vector<std::uint32_t> addresses,
         const std::string& hash, std::vector<std::uint32_t> seeds) {
        SwitchHashes hashes = {unwrap(cable_choice_of(hash)), std::move(seeds)};
        return unwrap(HashedPaths::of(network, std::move(endpoints), std::move(addresses), std::move(hashes)));
      },
      nb::keep_alive<0, 1>(), nb::arg("network"), nb::arg("endpoints"), nb::arg("addresses"), nb::arg("hash"),
      nb::arg("seeds"));
  module.def(
      "plan_source_ports",
      [](const HashedPaths& paths, const StepSequence& steps) { return unwrap(plan_source_ports(paths, steps)); },
      WithoutGil(), nb::arg("paths"), nb::arg("steps"));
  module.def(
      "measure_random_ports",
      [](const HashedPaths& paths, const StepSequence& steps, std::uint64_t seed) {
        return unwrap(measure_source_ports(paths, random_source_ports(paths.endpoint_count(), seed), steps));
      },
      WithoutGil(), nb::arg("paths"), nb::arg("steps"), nb::arg("seed"));
}

}  // namespace

void bind_roce(nb::module_& module) {
  bind_planned_ports(module);
  nb::class_<RocePort>(module, "RocePort")
      .def(nb::init<std::string, std::uint32_t>(), nb::arg("host"), nb::arg("address"))
      .def_ro("host", &RocePort::host)
      .def_ro("address", &RocePort::address);
  nb::class_<RocePlanFile>(module, "RocePlanFile")
      .def(nb::init<std::string, std::string, std::vector<RocePort>, std::vector<std::uint16_t>>(), nb::arg("hash"),
           nb::arg("reason"), nb::arg("ports"), nb::arg("source_ports"))
      .def_ro("hash", &RocePlanFile::hash)
      .def_ro("reason", &RocePlanFile::reason)
      .def_ro("ports", &RocePlanFile::ports)
      .def_ro("source_ports", &RocePlanFile::source_ports);
  module.def(
      "read_roce_plan_file", [](const std::string& path) { return unwrap(read_roce_plan_file(path)); }, WithoutGil(),
      nb::arg("path"));
  module.def(
      "write_roce_plan_file",
      [](const RocePlanFile& file, const std::string& path) { unwrap(write_roce_plan_file(file, path)); }, WithoutGil(),
      nb::arg("file"), nb::arg("path"));
  module.def("parse_ipv4", &parse_ipv4, nb::arg("text"));
  module.def("ipv4_text", &ipv4_text, nb::arg("address"));
}

}  // namespace ayatori::python
