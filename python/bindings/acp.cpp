#include "ayatori/acp/memory_use.hpp"

#include "bindings.hpp"

namespace ayatori::python {

void bind_acp(nb::module_& module) {
  using acp::MemoryUse;
  nb::class_<MemoryUse>(module, "AcpMemoryUse")
      .def_ro("tables", &MemoryUse::tables)
      .def_ro("provider", &MemoryUse::provider)
      .def_ro("wires", &MemoryUse::wires)
      .def_ro("starter", &MemoryUse::starter)
      .def_ro("waiting", &MemoryUse::waiting)
      .def_ro("queue_pairs", &MemoryUse::queue_pairs);
  module.def(
      "acp_memory_use",
      [](const std::string& wires, Rank procs, std::uint32_t ranks_per_host) {
        return unwrap(acp::memory_use(wires, procs, ranks_per_host));
      },
      nb::arg("wires"), nb::arg("procs"), nb::arg("ranks_per_host"));
}

}  // namespace ayatori::python
