#include "ayatori/delays/delayed_cables.hpp"

#include <nanobind/stl/tuple.h>

#include <tuple>
#include <vector>

#include "bindings.hpp"

namespace ayatori::python {

void bind_delays(nb::module_& module) {
  module.def(
      "carry_frames",
      [](const std::vector<std::tuple<int, int, double>>& cables) {
        std::vector<DelayedCable> all;
        for (const auto& [near, far, seconds] : cables) all.push_back({near, far, seconds});
        throw Raised(carry_frames(all));
      },
      WithoutGil(), nb::arg("cables"),
      "Delays what passes these cables: the descriptors of both ends, and seconds. Never returns: raises Error when an "
      "end is gone; see ayatori/delays/delayed_cables.hpp.");
}

}  // namespace ayatori::python
