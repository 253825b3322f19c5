#include "bindings.hpp"

NB_MODULE(_core, module) {
  using namespace ayatori::python;
  module.doc() = "The C++ core. Use the ayatori package: defaults live there.";
  nb::register_exception_translator(raise_in_python);
  bind_network(module);
  bind_sources(module);
  bind_schedule(module);
  bind_routing(module);
  bind_planning(module);
  bind_roce(module);
  bind_drawing(module);
  bind_artefacts(module);
  bind_loaded(module);
  bind_exports(module);
  bind_topology(module);
  bind_flow(module);
}
