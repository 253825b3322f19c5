#include "ayatori/base/files.hpp"
#include "ayatori/sources/source.hpp"
#include "bindings.hpp"

namespace ayatori::python {

void bind_sources(nb::module_& module) {
  module.def(
      "open_source",
      [](std::string_view source, std::string_view host_pattern) {
        return unwrap(open_source(source, {std::string(host_pattern)}));
      },
      WithoutGil(), nb::arg("source"), nb::arg("host_pattern"));
  module.def(
      "read_file",
      [](const std::string& path) {
        const std::string contents = unwrap(read_file(path));
        return nb::bytes(contents.data(), contents.size());
      },
      nb::arg("path"), "The contents of a regular file or pipe; refuses endless ones.");
  module.def("source_kinds", [] {
    std::vector<std::pair<std::string_view, std::string_view>> kinds;
    for (const SourceKind& kind : source_kinds()) kinds.emplace_back(kind.kind, kind.synopsis);
    return kinds;
  });
}

}  // namespace ayatori::python
