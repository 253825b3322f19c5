#include "ayatori/executor/own_time.hpp"

#include "bindings.hpp"

namespace ayatori::python {

void bind_executor(nb::module_& module) {
  module.def(
      "execute_without_carrying", [](std::uint64_t steps) { return unwrap(execute_without_carrying(steps)); },
      WithoutGil(), nb::arg("steps"),
      "Returns the number of messages that were executed; see ayatori/executor/own_time.hpp.");
}

}  // namespace ayatori::python
