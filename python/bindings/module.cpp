#include "ayatori/base/printable.hpp"
#include "bindings.hpp"

namespace ayatori::python {

namespace {

void raise_in_python(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Raised& raised) {
    const nb::object error_class = nb::module_::import_("ayatori.base.errors").attr("Error");
    const Error& error = raised.error;
    const nb::object error_object = error_class(text(printable(error.message)), text(printable(error.cause)),
                                                text(printable(error.hint)), error.blame == Error::Blame::us);
    PyErr_SetObject(error_class.ptr(), error_object.ptr());
  }
}

}  // namespace

}  // namespace ayatori::python

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
  bind_player(module);
  bind_drawing(module);
  bind_artefacts(module);
  bind_loaded(module);
  bind_exports(module);
  bind_topology(module);
  bind_flow(module);
  bind_transport(module);
  bind_acp(module);
  bind_delays(module);
}
