#include "ayatori/exports/exports.hpp"

#include "bindings.hpp"

namespace ayatori::python {

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
}

}  // namespace ayatori::python
