#include "bindings.hpp"

NB_MODULE(_mpi, module) {
  using namespace ayatori::python;
  module.doc() = "What runs inside MPI programs, and cables for the hosts of a lab that they run on.";
  nb::register_exception_translator(raise_in_python);
  bind_executor(module);
  bind_delays(module);
}
