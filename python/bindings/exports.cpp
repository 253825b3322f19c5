#include "ayatori/exports/exports.hpp"

#include "bindings.hpp"

#include <nanobind/stl/tuple.h>

namespace ayatori::python {

namespace {

/// `groups` are names with endpoints, `links` ports with a text and a share.
nb::bytes picture(const Network& network, const std::vector<std::pair<std::string, std::vector<PortId>>>& groups,
                  const std::vector<std::tuple<PortId, std::string, double>>& links) {
  PictureMarks marks;
  for (const auto& [name, endpoints] : groups) marks.groups.push_back({name, endpoints});
  for (const auto& [port, words, share] : links) marks.links.push_back({port, words, share});
  std::string output;
  {
    const nb::gil_scoped_release without_gil;
    unwrap(export_picture(network, marks, [&](std::string_view piece) { output += piece; }));
  }
  return nb::bytes(output.data(), output.size());
}

}  // namespace

void bind_exports(nb::module_& module) {
  module.def("export_formats", [] {
    std::vector<std::pair<std::string_view, std::string_view>> formats;
    for (const ExportFormat& format : export_formats()) formats.emplace_back(format.name, format.about);
    return formats;
  });
  module.def(
      "export_network",
      [](const Network& network, std::string_view format) {
        std::string output;
        {
          const nb::gil_scoped_release without_gil;
          unwrap(export_network(network, format, [&](std::string_view piece) { output += piece; }));
        }
        return nb::bytes(output.data(), output.size());
      },
      nb::arg("network"), nb::arg("format"));
  module.def("export_picture", &picture, nb::arg("network"), nb::arg("groups"), nb::arg("links"),
             "An SVG picture with groups (name, endpoints) in colours and links (port, text, share) in red, the larger "
             "the share the wider.");
}

}  // namespace ayatori::python
