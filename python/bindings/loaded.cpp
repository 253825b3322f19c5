#include "ayatori/loaded/loaded_algorithm.hpp"

#include <nanobind/stl/shared_ptr.h>

#include "ayatori/artefacts/schedule_file.hpp"
#include "bindings.hpp"

namespace ayatori::python {

namespace {

/// nanobind hands out what is const as it is what isn't; the classes cannot change it.
nb::tuple made(const LoadedAlgorithm& algorithm, std::string_view collective, Rank root, Bytes bytes,
               const Placement& placement, const AlgorithmOptions& options) {
  const auto known = parse_collective(collective);
  if (!known) throw Raised(Error{"no collective is called '" + std::string(collective) + "'", {}, {}});
  const CollectiveCall call{*known, static_cast<Rank>(placement.machine.size()), root, bytes};
  LoadedSchedule loaded;
  {
    const nb::gil_scoped_release without_gil;
    loaded = unwrap(algorithm.make(call, placement, options));
  }
  return nb::make_tuple(std::const_pointer_cast<Schedule>(loaded.schedule), text(loaded.reason));
}

void bind_loaded_algorithms(nb::module_& module) {
  nb::class_<LoadedAlgorithm>(module, "LoadedAlgorithm", "An algorithm of others, from a file or a library.")
      .def_prop_ro("takes_chunks", &LoadedAlgorithm::takes_chunks)
      .def(
          "make", &made, nb::arg("collective"), nb::arg("root"), nb::arg("bytes"), nb::arg("placement"),
          nb::arg("options"),
          nb::sig(
              "def make(self, collective: str, root: int, bytes: int, placement: Placement, options: AlgorithmOptions) "
              "-> tuple[Schedule | None, str]"),
          "A verified schedule; or None, and why there is none for this call.");
  module.def("names_loaded_algorithm", &names_loaded_algorithm, nb::arg("name"));
  module.def(
      "load_algorithm",
      [](std::string_view name) { return std::const_pointer_cast<LoadedAlgorithm>(unwrap(load_algorithm(name))); },
      WithoutGil(), nb::arg("name"));
}

void bind_schedule_files(nb::module_& module) {
  nb::class_<WrittenWithSizes>(module, "WrittenSchedule", "A schedule whose steps are written out.")
      .def("__repr__",
           [](const WrittenWithSizes& written) {
             const WrittenHead& head = written.algorithm->head();
             return "<WrittenSchedule of " + std::string(to_word(head.collective)) + " among " +
                    counted(head.ranks, "rank") + ">";
           })
      .def_prop_ro("collective",
                   [](const WrittenWithSizes& written) { return to_word(written.algorithm->head().collective); })
      .def_prop_ro("ranks", [](const WrittenWithSizes& written) { return written.algorithm->head().ranks; })
      .def_prop_ro("root", [](const WrittenWithSizes& written) { return written.algorithm->head().root; })
      .def_prop_ro(
          "sizes",
          [](const WrittenWithSizes& written) {
            return nb::make_tuple(written.sizes.from, written.sizes.to, written.sizes.multiple_of);
          },
          nb::sig("def sizes(self, /) -> tuple[int, int | None, int]"),
          "The sizes that it is right for: from, to (None: no end), and what they are multiples of.")
      .def(
          "schedule",
          [](const WrittenWithSizes& written, Bytes bytes) {
            const WrittenHead& head = written.algorithm->head();
            return std::const_pointer_cast<Schedule>(
                unwrap(schedule_of(written.algorithm, {head.collective, head.ranks, head.root, bytes})));
          },
          nb::arg("bytes"), "The schedule of a call of that many bytes; not of an alltoallv.");
  module.def(
      "written_out", [](const Schedule& schedule) { return unwrap(written_out(schedule)); }, WithoutGil(),
      nb::arg("schedule"));
  module.def(
      "read_schedule_file",
      [](const std::string& path) {
        ScheduleFile file = unwrap(read_schedule_file(path));
        return std::pair(std::move(file.name), std::move(file.schedules));
      },
      WithoutGil(), nb::arg("path"));
  module.def(
      "write_schedule_file",
      [](const std::string& name, const std::vector<WrittenWithSizes>& schedules, const std::string& path) {
        unwrap(write_schedule_file({name, schedules}, path));
      },
      WithoutGil(), nb::arg("name"), nb::arg("schedules"), nb::arg("path"));
}

}  // namespace

void bind_loaded(nb::module_& module) {
  bind_loaded_algorithms(module);
  bind_schedule_files(module);
}

}  // namespace ayatori::python
