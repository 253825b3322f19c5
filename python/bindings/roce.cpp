#include "ayatori/artefacts/roce_plan_file.hpp"
#include "ayatori/hashing/hashed_paths.hpp"
#include "ayatori/planning/source_ports.hpp"
#include "bindings.hpp"

namespace ayatori::python {

namespace {

IpAddress address_of(const std::string& text) {
  const auto address = parse_ip_address(text);
  return unwrap(address ? Result<IpAddress>(*address) : fail("'{}' is not an IP address", text));
}

void bind_planned_ports(nb::module_& module) {
  readable(nb::class_<HashedContention>(module, "HashedContention", "See ayatori/planning/source_ports.hpp."),
           Named{"steps", &HashedContention::steps}, Named{"free_steps", &HashedContention::free_steps},
           Named{"relative_bandwidth", &HashedContention::relative_bandwidth},
           Named{"worst_load", &HashedContention::worst_load});
  readable(nb::class_<SourcePorts>(module, "SourcePorts", "See ayatori/planning/source_ports.hpp."),
           Named{"ports", &SourcePorts::ports}, Named{"contention", &SourcePorts::contention},
           Named{"proven_steps", &SourcePorts::proven_steps}, Named{"undecided_steps", &SourcePorts::undecided_steps});
  nb::class_<HashedPaths>(module, "HashedPaths", "See ayatori/hashing/hashed_paths.hpp.")
      .def("path_count", &HashedPaths::path_count, nb::arg("from_endpoint"), nb::arg("to_endpoint"));
  module.def(
      "hashed_paths",
      [](const Network& network, std::vector<PortId> endpoints, const std::vector<std::string>& addresses,
         const std::string& hash, std::vector<std::uint32_t> seeds) {
        SwitchHashes hashes = {unwrap(cable_choice_of(hash)), std::move(seeds)};
        std::vector<IpAddress> parsed;
        for (const std::string& address : addresses) parsed.push_back(address_of(address));
        return unwrap(HashedPaths::of(network, std::move(endpoints), std::move(parsed), std::move(hashes)));
      },
      nb::keep_alive<0, 1>(), nb::arg("network"), nb::arg("endpoints"), nb::arg("addresses"), nb::arg("hash"),
      nb::arg("seeds"));
  module.def(
      "plan_source_ports",
      [](const HashedPaths& paths, const StepSequence& steps, const SearchControl& control) {
        return unwrap(plan_source_ports(paths, steps, control));
      },
      WithoutGil(), nb::arg("paths"), nb::arg("steps"), nb::arg("control") = SearchControl());
  module.def(
      "measure_source_ports",
      [](const HashedPaths& paths, const SourcePorts& planned, const StepSequence& steps) {
        return unwrap(measure_source_ports(paths, planned.ports, steps));
      },
      WithoutGil(), nb::arg("paths"), nb::arg("planned"), nb::arg("steps"));
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
      .def(
          "__init__",
          [](RocePort* port, const std::string& host, const std::string& address) {
            new (port) RocePort{host, address_of(address)};
          },
          nb::arg("host"), nb::arg("address"))
      .def_ro("host", &RocePort::host)
      .def_prop_ro("address", [](const RocePort& port) { return text_of(port.address); });
  constructible(nb::class_<RocePlanFile>(module, "RocePlanFile"), Named{"hash", &RocePlanFile::hash},
                Named{"reason", &RocePlanFile::reason}, Named{"ports", &RocePlanFile::ports},
                Named{"source_ports", &RocePlanFile::source_ports});
  bind_file(module, "read_roce_plan_file", read_roce_plan_file, "write_roce_plan_file", write_roce_plan_file);
  module.def(
      "ip_address_text",
      [](const std::string& text) -> std::optional<std::string> {
        const auto address = parse_ip_address(text);
        return address ? std::optional(text_of(*address)) : std::nullopt;
      },
      nb::arg("text"), "An IPv4 or IPv6 address as plans have it; None if the text is none.");
}

}  // namespace ayatori::python
