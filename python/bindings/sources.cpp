#include <nanobind/stl/filesystem.h>

#include "ayatori/base/files.hpp"
#include "ayatori/cluster/cluster.hpp"
#include "ayatori/sources/source.hpp"
#include "bindings.hpp"

namespace ayatori::python {

void bind_sources(nb::module_& module) {
  nb::class_<HostInterface>(module, "HostInterface", "An interface of a host as its operating system shows it.")
      .def_ro("host", &HostInterface::host)
      .def_ro("name", &HostInterface::name)
      .def_ro("addresses", &HostInterface::addresses, "IPv4 with the length of their network: '192.168.0.161/24'.")
      .def_ro("cabled", &HostInterface::cabled, "False: no cable leaves it (docker0).");
  module.def(
      "interfaces_in_cluster", [](std::string_view file) { return unwrap(interfaces_in_cluster(file)); },
      nb::arg("file"), "The interfaces whose addresses a cluster's file gives.");
  module.def(
      "open_source",
      [](std::string_view source, std::string_view host_pattern, Purpose purpose, std::string_view aliases) {
        return unwrap(open_source(source, {std::string(host_pattern), purpose, std::string(aliases)}));
      },
      WithoutGil(), nb::arg("source"), nb::arg("host_pattern"), nb::arg("purpose"), nb::arg("aliases"));
  module.def(
      "with_kind", [](std::string_view source) { return unwrap(with_kind(source)); }, nb::arg("source"),
      "The path of a file or folder with the kind that its content has, 'ib:fabric.txt'; other sources as they are.");
  module.def(
      "read_file",
      [](const std::string& path) {
        const std::string contents = unwrap(read_file(path));
        return nb::bytes(contents.data(), contents.size());
      },
      nb::arg("path"), "The contents of a regular file or pipe; refuses endless ones.");
  module.def(
      "write_file",
      [](const std::filesystem::path& path, const nb::bytes& contents) {
        const std::string_view bytes(contents.c_str(), contents.size());
        const nb::gil_scoped_release released;
        unwrap(write_file(path, bytes));
      },
      nb::arg("path"), nb::arg("contents"), "Replaces a regular file whole or not at all.");
  module.def("source_kinds", [] {
    std::vector<std::pair<std::string_view, std::string_view>> kinds;
    for (const SourceKind& kind : source_kinds()) kinds.emplace_back(kind.kind, kind.synopsis);
    return kinds;
  });
}

}  // namespace ayatori::python
