#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/unique_ptr.h>

#include <span>

#include "ayatori/base/files.hpp"
#include "ayatori/network/rails.hpp"
#include "ayatori/schedule/algorithms.hpp"
#include "ayatori/schedule/pattern.hpp"
#include "ayatori/schedule/pattern_schedule.hpp"
#include "ayatori/schedule/same_messages.hpp"
#include "ayatori/schedule/verify.hpp"
#include "bindings.hpp"

namespace ayatori::python {

namespace {

const char* to_word(LocalOperation::Kind kind) { return kind == LocalOperation::Kind::copy ? "copy" : "reduce"; }

Collective collective_of(std::string_view word) {
  if (const auto known = parse_collective(word)) return *known;
  throw Raised(Error{"no collective is called '" + std::string(word) + "'", {}, {}});
}

/// A Transfer with its slots and bytes, as Python gets one.
struct ScheduledMessage {
  Rank peer = 0;
  std::vector<SlotRange> slots;
  Bytes bytes = 0;
};

struct ScheduledActions {
  std::vector<ScheduledMessage> sends;
  std::vector<ScheduledMessage> receives;
  std::vector<LocalOperation> locals;
};

std::vector<ScheduledMessage> messages_of(const Schedule& schedule, Rank participant, const StepActions& actions,
                                          const std::vector<Transfer>& transfers) {
  std::vector<ScheduledMessage> messages;
  for (const Transfer& transfer : transfers) {
    const auto slots = std::span(actions.ranges).subspan(transfer.first_range, transfer.range_count);
    messages.push_back(
        {transfer.peer, {slots.begin(), slots.end()}, bytes_of(schedule, participant, actions, transfer)});
  }
  return messages;
}

ScheduledActions actions_of(const Schedule& schedule, Rank participant, std::uint32_t stream, std::size_t step) {
  if (participant >= schedule.participant_count() || stream >= schedule.stream_count() ||
      step >= schedule.step_count(stream)) {
    throw nb::index_error("no such participant, stream or step");
  }
  StepActions actions;
  schedule.actions(participant, stream, step, actions);
  return {messages_of(schedule, participant, actions, actions.sends),
          messages_of(schedule, participant, actions, actions.receives), actions.locals};
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

Placement grid_placement(const std::vector<std::uint32_t>& dimensions, const std::vector<bool>& periodic,
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
  return placement_on_grid(dimensions, {rings.get(), periodic.size()}, ranks_per_machine);
}

void bind_placement(nb::module_& module) {
  nb::class_<Placement>(module, "Placement", "Where ranks are; see ayatori/schedule/placement.hpp.")
      .def("__repr__",
           [](const Placement& placement) {
             return "<Placement of " + counted(placement.machine.size(), "rank") + " on " +
                    counted(placement.machine_count(), "machine") + ">";
           })
      .def_prop_ro("rank_count", [](const Placement& placement) { return placement.machine.size(); })
      .def_prop_ro("machine_count", &Placement::machine_count)
      .def_ro("machine", &Placement::machine)
      .def_ro("group", &Placement::group)
      .def_ro("gateway", &Placement::gateway)
      .def_ro("aggregators", &Placement::aggregators)
      .def_ro("dimensions", &Placement::dimensions)
      .def_ro("periodic", &Placement::periodic)
      .def_ro("point", &Placement::point);
  module.def("placement_of_job", &placement_of_job, nb::arg("network"), nb::arg("job"));
  module.def(
      "placement_of_part",
      [](const Placement& whole, const std::vector<Rank>& ranks) {
        for (const Rank rank : ranks) {
          if (rank >= whole.machine.size()) throw nb::index_error("no such rank");
        }
        return placement_of_part(whole, ranks);
      },
      nb::arg("whole"), nb::arg("ranks"));
  module.def("placement_on_grid", &grid_placement, nb::arg("dimensions"), nb::arg("periodic"),
             nb::arg("ranks_per_machine"));
  module.def(
      "placement_of_ranks",
      [](Rank ranks, std::uint32_t ranks_per_machine) {
        if (ranks == 0 || ranks > max_ranks || ranks_per_machine == 0) {
          throw Raised(Error{"a placement needs between 1 and " + std::to_string(max_ranks) + " ranks", {}, {}});
        }
        return placement_of_ranks(ranks, ranks_per_machine);
      },
      nb::arg("ranks"), nb::arg("ranks_per_machine"));
}

std::string in_words(const SlotRange& slots) {
  return slots.count == 1 ? "slot " + std::to_string(slots.first)
                          : "slots " + std::to_string(slots.first) + " to " +
                                std::to_string(std::uint64_t{slots.first} + slots.count - 1);
}

void bind_actions(nb::module_& module) {
  readable(nb::class_<SlotRange>(module, "SlotRange", "Consecutive slots of a participant."),
           Named{"first", &SlotRange::first}, Named{"count", &SlotRange::count})
      .def("__repr__", [](const SlotRange& slots) { return "<SlotRange: " + in_words(slots) + ">"; });
  nb::class_<ScheduledMessage>(module, "ScheduledMessage", "A message that a participant sends or receives in a step.")
      .def("__repr__",
           [](const ScheduledMessage& message) {
             return "<ScheduledMessage: " + counted(message.bytes, "byte") + " with participant " +
                    std::to_string(message.peer) + ">";
           })
      .def_ro("peer", &ScheduledMessage::peer, "The participant at the other end.")
      .def_ro("slots", &ScheduledMessage::slots,
              "Where the bytes are, or go: ranges in the order in which they are packed.")
      .def_ro("bytes", &ScheduledMessage::bytes);
  nb::class_<LocalOperation>(module, "LocalOperation",
                             "What a participant does by itself after the messages of a step.")
      .def("__repr__",
           [](const LocalOperation& local) {
             return "<LocalOperation: " + std::string(to_word(local.kind)) + " " + in_words(local.from) + " to slot " +
                    std::to_string(local.to) + ">";
           })
      .def_prop_ro(
          "kind", [](const LocalOperation& local) { return to_word(local.kind); },
          "'copy': from_slots replace what stands there; 'reduce': they are combined with it.")
      .def_ro("from_slots", &LocalOperation::from, "The slots that are read.")
      .def_ro("to_slot", &LocalOperation::to, "The first of as many slots that are written.");
  nb::class_<ScheduledActions>(module, "StepActions", "What one participant does in one step.")
      .def("__repr__",
           [](const ScheduledActions& actions) {
             return "<StepActions: " + counted(actions.sends.size(), "send") + ", " +
                    counted(actions.receives.size(), "receive") + ", " +
                    counted(actions.locals.size(), "local operation") + ">";
           })
      .def_ro("sends", &ScheduledActions::sends, "All sends and receives of a step start at once.")
      .def_ro("receives", &ScheduledActions::receives)
      .def_ro("locals", &ScheduledActions::locals, "Done in this order when all messages have arrived.");
  nb::class_<ScheduleTotals>(module, "ScheduleTotals", "What travels between the participants of a schedule.")
      .def("__repr__",
           [](const ScheduleTotals& totals) {
             return "<ScheduleTotals: " + counted(totals.messages, "message") + ", " + counted(totals.bytes, "byte") +
                    ">";
           })
      .def_ro("messages", &ScheduleTotals::messages)
      .def_ro("bytes", &ScheduleTotals::bytes);
}

void bind_algorithm_options(nb::module_& module) {
  settable(nb::class_<AlgorithmOptions>(module, "AlgorithmOptions"), Named{"radix", &AlgorithmOptions::radix},
           Named{"chunk_bytes", &AlgorithmOptions::chunk_bytes}, Named{"stencil", &AlgorithmOptions::stencil},
           Named{"stencil_periodic", &AlgorithmOptions::stencil_periodic})
      .def_prop_rw(
          "planned_steps",
          [](const AlgorithmOptions& options) { return std::const_pointer_cast<PlannedSteps>(options.planned_steps); },
          [](AlgorithmOptions& options, std::shared_ptr<PlannedSteps> steps) { options.planned_steps = steps; },
          nb::arg("value").none(), "Of planned: who sends to whom in which step; without them it is the shift.")
      .def("set_pair_sizes", &set_pair_sizes, "Of alltoallv: bytes from each rank (row) to each, lists or an array.",
           nb::arg("rows"));
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
      .def_ro("pipelined", &Algorithm::pipelined)
      .def_ro("of_an_mpi", &Algorithm::of_an_mpi, "It repeats what an MPI library does; not for choices of our own.")
      .def_ro("within_a_node", &Algorithm::within_a_node, "It is for ranks that share memory.");
  module.def("algorithms", [] { return std::vector(algorithms().begin(), algorithms().end()); });

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
      .def("actions", &actions_of, nb::arg("participant"), nb::arg("stream"), nb::arg("step"),
           "What a participant does in a step of a stream. Raises IndexError if there is none of these numbers.")
      .def("totals", &totals_of, WithoutGil(), "What travels between participants in all steps.")
      .def("sends_the_same_as", &send_the_same_messages, WithoutGil(), nb::arg("other"),
           "Whether each participant sends, receives, copies and combines the same bytes in the same order.")
      .def(
          "verify", [](const Schedule& schedule) { unwrap(verify(schedule)); }, WithoutGil())
      .def("steps", [](const std::shared_ptr<Schedule>& schedule) { return steps_of(schedule); });
  module.def(
      "make_schedule",
      [](std::string_view algorithm, std::string_view collective, Rank root, Bytes bytes, const Placement& placement,
         const AlgorithmOptions& options) {
        const CollectiveCall call{collective_of(collective), static_cast<Rank>(placement.machine.size()), root, bytes};
        // nanobind hands out what is const as it is what isn't; the class cannot change it.
        return std::const_pointer_cast<Schedule>(unwrap(make_schedule(algorithm, call, placement, options)));
      },
      nb::arg("algorithm"), nb::arg("collective"), nb::arg("root"), nb::arg("bytes"), nb::arg("placement"),
      nb::arg("options"));
}

void bind_steps_on_rails(nb::module_& module) {
  module.def(
      "on_rails",
      [](const Network& network, const Job& job, const StepSequence& steps, RailUse use) {
        if (steps.rank_count() != job.rank_count()) {
          throw Raised(Error{"steps for another number of ranks than the job has", {}, {}, Error::Blame::us});
        }
        return on_rails(steps, RailMap(network, job, use));
      },
      nb::keep_alive<0, 3>(), nb::arg("network"), nb::arg("job"), nb::arg("steps"), nb::arg("use"),
      "The steps of a job's ranks as those of its NICs.");
}

void bind_patterns_by_name(nb::module_& module) {
  module.def("shift_all_to_all", &shift_all_to_all, nb::arg("ranks"));
  module.def("ring", &ring, nb::arg("ranks"));
  module.def("neighbour", &neighbour, nb::arg("ranks"));
  module.def("xor_exchanges", &xor_exchanges, nb::arg("ranks"));
  module.def("all_at_once", &all_at_once, nb::arg("ranks"), nb::arg("every") = 1);
  module.def("halo", &halo, nb::arg("ranks"), nb::arg("dimensions"));
  module.def("binomial_tree", &binomial_tree, nb::arg("ranks"));
  module.def("random_permutations", &random_permutations, nb::arg("ranks"), nb::arg("steps"), nb::arg("seed"));
}

}  // namespace

void bind_schedule(nb::module_& module) {
  nb::class_<Message>(module, "Message", "A message of a step, from one rank to another.")
      .def("__repr__",
           [](const Message& message) {
             return "<Message: " + counted(message.bytes, "byte") + " from rank " + std::to_string(message.from) +
                    " to rank " + std::to_string(message.to) + ">";
           })
      .def_ro("from_rank", &Message::from)
      .def_ro("to_rank", &Message::to)
      .def_ro("bytes", &Message::bytes);
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
            return messages;
          },
          "The messages that travel at the same time in a step.", nb::arg("step"));
  nb::class_<PlannedSteps, StepSequence>(module, "PlannedSteps", "An all-to-all's steps, made for a job's paths.")
      .def_static(
          "of",
          [](const StepSequence& steps) { return std::make_shared<PlannedSteps>(unwrap(PlannedSteps::of(steps))); },
          WithoutGil(), "The same steps, if they are an all-to-all in which nobody sends or receives twice at a time.",
          nb::arg("steps"));
  bind_patterns_by_name(module);
  module.def(
      "parse_pattern",
      [](std::string_view contents, std::string_view file, Rank ranks) {
        return unwrap(parse_pattern(contents, file, ranks));
      },
      nb::arg("contents"), nb::arg("file"), nb::arg("ranks"));
  module.def("weighted_by_bytes", &weighted_by_bytes, WithoutGil(), nb::arg("steps"),
             "Steps for what counts messages: each as often as its share of the bytes.");
  module.def(
      "schedule_of_pattern",
      [](const StepSequence& steps, Bytes bytes) {
        return std::const_pointer_cast<Schedule>(schedule_of_pattern(steps, bytes));
      },
      nb::arg("steps"), nb::arg("bytes"), "Traffic that belongs to no collective: every message has so many bytes.");
  module.def(
      "write_pattern",
      [](const StepSequence& steps, const std::string& path) {
        unwrap(write_file(path, [&](const Sink& sink) { write_pattern(steps, sink); }));
      },
      WithoutGil(), nb::arg("steps"), nb::arg("path"));
  bind_steps_on_rails(module);
  bind_placement(module);
  bind_actions(module);
  bind_algorithm_options(module);
  bind_algorithms(module);
}

}  // namespace ayatori::python
