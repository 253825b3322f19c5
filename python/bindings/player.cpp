#include "ayatori/player/own_time.hpp"

#include "bindings.hpp"

namespace ayatori::python {

void bind_player(nb::module_& module) {
  module.def(
      "play_without_carrying", [](std::uint64_t steps) { return unwrap(play_without_carrying(steps)); }, WithoutGil(),
      nb::arg("steps"), "Returns the number of messages that were played; see ayatori/player/own_time.hpp.");
}

}  // namespace ayatori::python
