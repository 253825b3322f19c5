#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>

#include "ayatori/schedule/algorithms.hpp"
#include "ayatori/schedule/pattern.hpp"
#include "ayatori/schedule/verify.hpp"
#include "bindings.hpp"

namespace ayatori::python {

namespace {

Collective collective_of(std::string_view word) {
  if (const auto known = parse_collective(word)) return *known;
  throw Raised(Error{"no collective is called '" + std::string(word) + "'", {}, {}});
}

using SlotPairs = std::vector<std::pair<Slot, std::uint32_t>>;  ///< first, count
using TransferData = std::tuple<Rank, SlotPairs, Bytes>;        ///< peer, slots, bytes

std::vector<TransferData> transfers_as_data(const Schedule& schedule, Rank participant, const StepActions& actions,
                                            const std::vector<Transfer>& transfers) {
  std::vector<TransferData> data;
  for (const Transfer& transfer : transfers) {
    SlotPairs slots;
    for (std::uint32_t i = 0; i < transfer.range_count; ++i) {
      const SlotRange& range = actions.ranges[transfer.first_range + i];
      slots.emplace_back(range.first, range.count);
    }
    data.emplace_back(transfer.peer, std::move(slots), bytes_of(schedule, participant, actions, transfer));
  }
  return data;
}

/// {"sends": [(peer, [(first slot, count), …], bytes), …], "receives": the same, "locals": [(kind, from, count, to),
/// …]}
nb::dict actions_as_data(const Schedule& schedule, Rank participant, std::uint32_t stream, std::size_t step) {
  if (participant >= schedule.participant_count() || stream >= schedule.stream_count() ||
      step >= schedule.step_count(stream)) {
    throw nb::index_error("no such participant, stream or step");
  }
  StepActions actions;
  schedule.actions(participant, stream, step, actions);
  std::vector<std::tuple<std::string_view, Slot, std::uint32_t, Slot>> locals;
  for (const LocalOperation& local : actions.locals) {
    const auto kind = local.kind == LocalOperation::Kind::copy ? "copy" : "reduce";
    locals.emplace_back(kind, local.from.first, local.from.count, local.to);
  }
  nb::dict data;
  data["sends"] = transfers_as_data(schedule, participant, actions, actions.sends);
  data["receives"] = transfers_as_data(schedule, participant, actions, actions.receives);
  data["locals"] = locals;
  return data;
}

Bytes bytes_in_slot(const Schedule& schedule, Rank participant, Slot slot) {
  if (participant >= schedule.participant_count() || slot >= schedule.slot_count()) {
    throw nb::index_error("no such participant or slot");
  }
  return schedule.slot_bytes(participant, slot);
}

/// Rows of senders, as lists or NumPy arrays.
void set_pair_sizes(AlgorithmOptions& options, const std::vector<std::vector<Bytes>>& rows) {
  std::vector<Bytes> sizes;
  for (const auto& row : rows) {
    if (row.size() != rows.size()) throw Raised(Error{"sizes of pairs need a square matrix, a row a sender", {}, {}});
    sizes.insert(sizes.end(), row.begin(), row.end());
  }
  options.pair_sizes = table_of_sizes(static_cast<Rank>(rows.size()), std::move(sizes));
}

/// Messages and bytes that travel in all.
std::pair<std::uint64_t, Bytes> count_messages(const Schedule& schedule) {
  std::uint64_t messages = 0;
  Bytes bytes = 0;
  StepActions actions;
  for (std::uint32_t stream = 0; stream < schedule.stream_count(); ++stream) {
    for (std::size_t step = 0; step < schedule.step_count(stream); ++step) {
      for (Rank r = 0; r < schedule.participant_count(); ++r) {
        schedule.actions(r, stream, step, actions);
        messages += actions.sends.size();
        for (const Transfer& send : actions.sends) bytes += bytes_of(schedule, r, actions, send);
      }
    }
  }
  return {messages, bytes};
}

Places grid_places(const std::vector<std::uint32_t>& dimensions, const std::vector<bool>& periodic,
                   std::uint32_t ranks_per_machine) {
  if (dimensions.empty() || dimensions.size() != periodic.size() || ranks_per_machine == 0) {
    throw Raised(Error{"a grid needs a length and a period for each dimension, and a rank a machine", {}, {}});
  }
  std::uint64_t ranks = ranks_per_machine;
  for (const std::uint32_t length : dimensions) ranks = std::min<std::uint64_t>(ranks * length, no_id);
  if (ranks == 0 || ranks > max_ranks) {
    throw Raised(Error{"a grid of " + std::to_string(ranks) + " ranks can't be used", {}, {}});
  }
  const auto rings = std::make_unique<bool[]>(periodic.size());
  std::copy(periodic.begin(), periodic.end(), rings.get());
  return places_on_grid(dimensions, {rings.get(), periodic.size()}, ranks_per_machine);
}

void bind_places(nb::module_& module) {
  nb::class_<Places>(module, "Places", "Where ranks are; see ayatori/schedule/places.hpp.")
      .def("__repr__",
           [](const Places& places) {
             return "<Places of " + counted(places.machine.size(), "rank") + " on " +
                    counted(places.machine_count(), "machine") + ">";
           })
      .def_prop_ro("rank_count", [](const Places& places) { return places.machine.size(); })
      .def_prop_ro("machine_count", &Places::machine_count)
      .def_ro("machine", &Places::machine)
      .def_ro("group", &Places::group)
      .def_ro("gateway", &Places::gateway)
      .def_ro("aggregators", &Places::aggregators)
      .def_ro("dimensions", &Places::dimensions)
      .def_ro("periodic", &Places::periodic)
      .def_ro("point", &Places::point);
  module.def("places_of_job", &places_of_job, nb::arg("network"), nb::arg("job"));
  module.def("places_on_grid", &grid_places, nb::arg("dimensions"), nb::arg("periodic"), nb::arg("ranks_per_machine"));
  module.def(
      "places_of_ranks",
      [](Rank ranks, std::uint32_t ranks_per_machine) {
        if (ranks == 0 || ranks > max_ranks || ranks_per_machine == 0) {
          throw Raised(Error{"places need between 1 and " + std::to_string(max_ranks) + " ranks", {}, {}});
        }
        return places_of_ranks(ranks, ranks_per_machine);
      },
      nb::arg("ranks"), nb::arg("ranks_per_machine"));
}

void bind_algorithms(nb::module_& module) {
  nb::class_<Algorithm>(module, "Algorithm")
      .def("__repr__",
           [](const Algorithm& algorithm) {
             return "<Algorithm " + std::string(algorithm.name) + " of " + std::string(to_word(algorithm.collective)) +
                    ">";
           })
      .def_prop_ro("collective", [](const Algorithm& algorithm) { return to_word(algorithm.collective); })
      .def_prop_ro("name", [](const Algorithm& algorithm) { return algorithm.name; })
      .def_prop_ro("about", [](const Algorithm& algorithm) { return algorithm.about; })
      .def_ro("needs_grid", &Algorithm::needs_grid)
      .def_ro("pipelined", &Algorithm::pipelined);
  module.def("current_name", &current_name, "The name that algorithms() lists, for one that it had before, too.",
             nb::arg("name"));
  module.def("algorithms", [] { return std::vector(algorithms().begin(), algorithms().end()); });

  nb::class_<AlgorithmOptions>(module, "AlgorithmOptions")
      .def(nb::init<>())
      .def_rw("radix", &AlgorithmOptions::radix)
      .def_rw("chunk_bytes", &AlgorithmOptions::chunk_bytes)
      .def_rw("order", &AlgorithmOptions::order)
      .def_rw("stencil", &AlgorithmOptions::stencil)
      .def_rw("stencil_periodic", &AlgorithmOptions::stencil_periodic)
      .def("set_pair_sizes", &set_pair_sizes, "Of alltoallv: bytes from each rank (row) to each, lists or an array.",
           nb::arg("rows"));

  nb::class_<Schedule>(module, "Schedule", "A collective as data; see ayatori/schedule/schedule.hpp.")
      .def("__repr__",
           [](const Schedule& schedule) {
             const CollectiveCall& call = schedule.call();
             return "<Schedule of " + std::string(to_word(call.collective)) + ", " + counted(call.bytes, "byte") +
                    " among " + counted(call.ranks, "rank") + ">";
           })
      .def_prop_ro("collective", [](const Schedule& schedule) { return to_word(schedule.call().collective); })
      .def_prop_ro("ranks", [](const Schedule& schedule) { return schedule.call().ranks; })
      .def_prop_ro("root", [](const Schedule& schedule) { return schedule.call().root; })
      .def_prop_ro("bytes", [](const Schedule& schedule) { return schedule.call().bytes; })
      .def_prop_ro("participant_count", &Schedule::participant_count)
      .def_prop_ro("stream_count", &Schedule::stream_count)
      .def("step_count", &Schedule::step_count, nb::arg("stream"))
      .def_prop_ro("block_count", &Schedule::block_count)
      .def_prop_ro("slot_count", &Schedule::slot_count)
      .def("slot_bytes", &bytes_in_slot, "Of a participant.", nb::arg("participant"), nb::arg("slot"))
      .def("actions", &actions_as_data, "What a participant does in a step of a stream.", nb::arg("participant"),
           nb::arg("stream"), nb::arg("step"))
      .def("count_messages", &count_messages, WithoutGil(), "Messages and bytes in all.")
      .def(
          "verify", [](const Schedule& schedule) { unwrap(verify(schedule)); }, WithoutGil())
      .def("steps", [](const std::shared_ptr<Schedule>& schedule) { return steps_of(schedule); });
  module.def(
      "make_schedule",
      [](std::string_view algorithm, std::string_view collective, Rank root, Bytes bytes, const Places& places,
         const AlgorithmOptions& options) {
        const CollectiveCall call{collective_of(collective), static_cast<Rank>(places.machine.size()), root, bytes};
        // nanobind hands out what is const as it is what isn't; the class has no way to change it.
        return std::const_pointer_cast<Schedule>(unwrap(make_schedule(algorithm, call, places, options)));
      },
      nb::arg("algorithm"), nb::arg("collective"), nb::arg("root"), nb::arg("bytes"), nb::arg("places"),
      nb::arg("options"));
}

}  // namespace

void bind_schedule(nb::module_& module) {
  nb::class_<StepSequence>(module, "StepSequence")
      .def("__repr__",
           [](const StepSequence& steps) {
             return "<StepSequence of " + counted(steps.step_count(), "step") + " among " +
                    counted(steps.rank_count(), "rank") + ">";
           })
      .def_prop_ro("rank_count", &StepSequence::rank_count)
      .def_prop_ro("step_count", &StepSequence::step_count)
      .def(
          "messages",
          [](const StepSequence& steps, std::size_t index) {
            std::vector<Message> messages;
            steps.step(index, messages);
            std::vector<std::tuple<Rank, Rank, Bytes>> data;
            for (const Message& message : messages) data.emplace_back(message.from, message.to, message.bytes);
            return data;
          },
          "(from, to, bytes) each.", nb::arg("step"));
  module.def("shift_all_to_all", &shift_all_to_all, nb::arg("ranks"));
  module.def("ring", &ring, nb::arg("ranks"));
  module.def("neighbour", &neighbour, nb::arg("ranks"));
  module.def("random_permutations", &random_permutations, nb::arg("ranks"), nb::arg("steps"), nb::arg("seed"));
  module.def(
      "parse_pattern",
      [](std::string_view contents, std::string_view file, Rank ranks) {
        return unwrap(parse_pattern(contents, file, ranks));
      },
      nb::arg("contents"), nb::arg("file"), nb::arg("ranks"));
  bind_places(module);
  bind_algorithms(module);
}

}  // namespace ayatori::python
