#include "ayatori/base/files.hpp"
#include "ayatori/infiniband/infiniband.hpp"
#include "ayatori/sources/source.hpp"
#include "bindings.hpp"

namespace ayatori::python {

void bind_sources(nb::module_& module) {
  module.def(
      "open_source",
      [](std::string_view source, std::string_view host_pattern) {
        return unwrap(open_source(source, {std::string(host_pattern)}));
      },
      WithoutGil());
  module.def("source_kinds", [] {
    std::vector<std::pair<std::string_view, std::string_view>> kinds;
    for (const SourceKind& kind : source_kinds()) kinds.emplace_back(kind.kind, kind.synopsis);
    return kinds;
  });
  module.def("ibnetdiscover_text", [](const Network& network) {
    std::string output;
    write_ibnetdiscover(network, [&](std::string_view piece) { output += piece; });
    return nb::bytes(output.data(), output.size());
  });
}

}  // namespace ayatori::python
