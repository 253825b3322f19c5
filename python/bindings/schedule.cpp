#include "ayatori/schedule/pattern.hpp"
#include "bindings.hpp"

#include <nanobind/stl/unique_ptr.h>

namespace ayatori::python {

void bind_schedule(nb::module_& module) {
  nb::class_<StepSequence>(module, "StepSequence")
      .def_prop_ro("rank_count", &StepSequence::rank_count)
      .def_prop_ro("step_count", &StepSequence::step_count)
      .def("messages", [](const StepSequence& steps, std::size_t index) {
        std::vector<Message> messages;
        steps.step(index, messages);
        std::vector<std::pair<Rank, Rank>> pairs;
        for (const Message& message : messages) pairs.emplace_back(message.from, message.to);
        return pairs;
      });
  module.def("shift_all_to_all", &shift_all_to_all);
  module.def("ring", &ring);
  module.def("neighbour", &neighbour);
  module.def("random_permutations", &random_permutations);
  module.def("parse_pattern", [](std::string_view contents, std::string_view file, Rank ranks) {
    return unwrap(parse_pattern(contents, file, ranks));
  });
}

}  // namespace ayatori::python
