#include "bindings.hpp"

NB_MODULE(_acp, module) {
  using namespace ayatori::python;
  module.doc() = "libacp's core: what it takes of memory, and its transport on simulated networks.";
  nb::register_exception_translator(raise_in_python);
  bind_transport(module);
  bind_acp(module);
}
