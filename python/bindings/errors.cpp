#include "ayatori/base/printable.hpp"
#include "bindings.hpp"

namespace ayatori::python {

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

}  // namespace ayatori::python
