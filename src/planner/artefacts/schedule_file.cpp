#include "ayatori/artefacts/schedule_file.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <system_error>

#include "artefact_record.hpp"

namespace ayatori {

namespace {

constexpr ArtefactHead schedule_head = {
    .format = "ayatori-schedule",
    .name = "a file of schedules",
    .made_by = "`ayatori simulate SOURCE … --schedule-out FILE` writes one",
};
constexpr std::uint64_t max_number = 0xFFFF'FFFE;  // no_id is none

constexpr TextFor kind_word{
    [](std::string_view word) {
      const bool copies = word == "copy";
      const auto kind = copies ? LocalOperation::Kind::copy : LocalOperation::Kind::reduce;
      return copies || word == "reduce" ? std::optional(kind) : std::nullopt;
    },
    [](LocalOperation::Kind kind) { return kind == LocalOperation::Kind::copy ? "copy" : "reduce"; },
    "expected copy or reduce"};

// --- writing --------------------------------------------------------------------------------------------------------

Json as_json(std::span<const SlotRange> ranges) {
  Json slots = Json::array();
  for (const SlotRange& range : ranges) slots.push_back({range.first, range.count});
  return slots;
}

Json as_json(const StepActions& actions, const std::vector<Transfer>& transfers, std::string_view peer) {
  Json messages = Json::array();
  for (const Transfer& transfer : transfers) {
    const auto ranges = std::span(actions.ranges).subspan(transfer.first_range, transfer.range_count);
    messages.push_back({{peer, transfer.peer}, {"slots", as_json(ranges)}});
  }
  return messages;
}

Json as_json(const StepActions& actions) {
  Json step = Json::object();
  if (!actions.sends.empty()) step["send"] = as_json(actions, actions.sends, "to");
  if (!actions.receives.empty()) step["receive"] = as_json(actions, actions.receives, "from");
  for (const LocalOperation& local : actions.locals) {
    step["then"].push_back(
        {{"do", kind_word.write(local.kind)}, {"slots", {local.from.first, local.from.count}}, {"into", local.to}});
  }
  return step;
}

Json as_json(const WrittenSizes& sizes) {
  return {{"from", sizes.from}, {"to", sizes.to ? Json(*sizes.to) : Json(nullptr)}, {"multiple_of", sizes.multiple_of}};
}

Json as_json(const WrittenHead& head, const WrittenSizes& sizes) {
  Json json = {{"collective", to_word(head.collective)}, {"ranks", head.ranks}};
  if (has_root(head.collective)) json["root"] = head.root;
  if (head.participants > head.ranks) json["routers"] = head.participants - head.ranks;
  if (head.cuts_one_vector()) {
    json["blocks"] = head.blocks;
    json["scratch"] = head.scratch;
  } else if (!head.scratch.empty()) {
    json["scratch"] = head.scratch.size();
  }
  if (head.collective == Collective::halo) {
    Json rows = Json::array();
    for (std::size_t i = 0; i < head.neighbours.size(); ++i) {
      if (i % head.blocks == 0) rows.push_back(Json::array());
      rows.back().push_back(head.neighbours[i] == no_id ? Json(nullptr) : Json(head.neighbours[i]));
    }
    json["neighbours"] = std::move(rows);
  }
  json["sizes"] = as_json(sizes);
  return json;
}

/// The steps of a stream up to the last one in which the participant does something.
std::vector<std::string> step_lines(const WrittenAlgorithm& algorithm, Rank participant, std::uint32_t stream) {
  std::vector<std::string> lines;
  std::size_t busy = 0;
  StepActions actions;
  for (std::size_t step = 0; step < algorithm.step_count(stream); ++step) {
    algorithm.actions(participant, stream, step, actions);
    lines.push_back(as_json(actions).dump());
    if (!actions.idle()) busy = lines.size();
  }
  lines.resize(busy);
  return lines;
}

std::string participant_text(const WrittenAlgorithm& algorithm, Rank participant) {
  std::string text;
  for (std::uint32_t stream = 0; stream < algorithm.head().streams; ++stream) {
    const auto lines = step_lines(algorithm, participant, stream);
    text += fmt::format("{}[{}{}]", stream == 0 ? "" : ",\n    ", lines.empty() ? "" : "\n     ",
                        fmt::join(lines, ",\n     "));
  }
  return fmt::format("   [{}]", text);
}

/// nlohmann-json would print either all on one line or each number on its own.
std::string schedule_text(const WrittenWithSizes& schedule) {
  std::string head = as_json(schedule.algorithm->head(), schedule.sizes).dump();
  head.pop_back();
  std::vector<std::string> participants;
  for (Rank participant = 0; participant < schedule.algorithm->head().participants; ++participant) {
    participants.push_back(participant_text(*schedule.algorithm, participant));
  }
  return fmt::format("  {},\n   \"participants\":[\n{}\n  ]}}", head, fmt::join(participants, ",\n"));
}

// --- reading --------------------------------------------------------------------------------------------------------

constexpr Count number{0, max_number};

/// The failure of a place in the file.
template <typename T>
Result<> placed(const JsonValue& value, const Result<T>& result) {
  return result ? Result<>() : value.wrong(result.error().message);
}

/// A member that there must not be.
struct Refused {
  std::string_view why;
  template <typename T>
  [[nodiscard]] Result<> read(const JsonValue& value, T& /*into*/) const {
    return value.wrong(why);
  }
};

/// An array that is read item by item, all into the same.
template <typename Item>
struct Each {
  Item item;

  template <typename T>
  [[nodiscard]] Result<> read(const JsonValue& array, T& into) const {
    const auto size = array.size();
    if (!size) return Failure(size.error());
    for (std::size_t i = 0; i < *size; ++i) {
      if (auto read = item.read(*array.item(i), into); !read) return read;
    }
    return {};
  }
};
template <typename Item>
Each(Item) -> Each<Item>;

/// [first, count]
struct RangeNumbers {
  [[nodiscard]] Result<> read(const JsonValue& value, SlotRange& into) const {
    const auto size = value.size();
    if (!size) return Failure(size.error());
    if (*size != 2) return value.wrong("expected two numbers: the first slot, and how many there are");
    if (auto read = number.read(*value.item(0), into.first); !read) return read;
    return number.read(*value.item(1), into.count);
  }
};

/// More slots of the last message.
struct MoreSlots {
  [[nodiscard]] Result<> read(const JsonValue& value, AlgorithmWriter& writer) const {
    SlotRange range;
    if (auto read = RangeNumbers{}.read(value, range); !read) return read;
    return placed(value, writer.append(range));
  }
};

struct MessageOfStep {
  std::string_view peer;
  Result<> (AlgorithmWriter::*add)(Rank, std::span<const SlotRange>);

  [[nodiscard]] Result<> read(const JsonValue& message, AlgorithmWriter& writer) const {
    Rank other = 0;
    MemberReader fields(message);
    fields.member(peer, other, number);
    fields.check([&](const JsonValue&) { return placed(message, (writer.*add)(other, {})); });
    fields.member("slots", writer, Each{MoreSlots{}});
    fields.no_others("a message");
    return fields.result();
  }
};

struct LocalOfStep {
  [[nodiscard]] Result<> read(const JsonValue& value, AlgorithmWriter& writer) const {
    LocalOperation local;
    MemberReader fields(value);
    fields.member("do", local.kind, kind_word);
    fields.member("slots", local.from, RangeNumbers{});
    fields.member("into", local.to, number);
    fields.no_others("a local operation");
    fields.check([&](const JsonValue&) { return placed(value, writer.local(local)); });
    return fields.result();
  }
};

struct StepOfStream {
  Rank participant;
  std::uint32_t stream;

  [[nodiscard]] Result<> read(const JsonValue& step, AlgorithmWriter& writer) const {
    if (auto begun = placed(step, writer.step(participant, stream)); !begun) return begun;
    MemberReader fields(step);
    fields.optional("send", writer, Each{MessageOfStep{"to", &AlgorithmWriter::send}});
    fields.optional("receive", writer, Each{MessageOfStep{"from", &AlgorithmWriter::receive}});
    fields.optional("then", writer, Each{LocalOfStep{}});
    fields.no_others("a step");
    return fields.result();
  }
};

/// By participant and stream: their steps.
Result<> read_steps(const JsonValue& participants, AlgorithmWriter& writer) {
  for (Rank participant = 0; participant < *participants.size(); ++participant) {
    const JsonValue streams = *participants.item(participant);
    for (std::uint32_t stream = 0; stream < *streams.size(); ++stream) {
      if (auto read = Each{StepOfStream{participant, stream}}.read(*streams.item(stream), writer); !read) return read;
    }
  }
  return {};
}

constexpr TextFor collective_word{parse_collective, [](Collective collective) { return to_word(collective); },
                                  "no collective has this name"};

/// How many scratch slots there are, where nobody needs to know their sizes.
struct ScratchCount {
  [[nodiscard]] Result<> read(const JsonValue& value, std::vector<std::uint32_t>& into) const {
    const auto count = number.Count::read(value);
    if (!count) return Failure(count.error());
    if (*count > written_limits.slots) return value.wrong("more than a schedule may have");
    into.assign(*count, 0);
    return {};
  }
};

/// Of a halo: rows of ranks, with null where the grid ends.
struct NeighbourRow {
  [[nodiscard]] Result<> read(const JsonValue& row, WrittenHead& head) const {
    const auto sides = row.size();
    if (!sides) return Failure(sides.error());
    if (head.neighbours.empty()) head.blocks = static_cast<std::uint32_t>(std::min<std::size_t>(*sides, no_id));
    if (*sides != head.blocks) return row.wrong("expected as many neighbours as in the rows before");
    for (std::size_t side = 0; side < *sides; ++side) {
      const JsonValue item = *row.item(side);
      Rank rank = no_id;
      if (!item.is_null()) {
        if (auto read = number.read(item, rank); !read) return read;
      }
      head.neighbours.push_back(rank);
    }
    return {};
  }
};

/// The number of participants, and of their streams.
struct ParticipantCount {
  std::uint64_t expected;

  [[nodiscard]] Result<> read(const JsonValue& participants, WrittenHead& head) const {
    const auto count = participants.size();
    if (!count) return Failure(count.error());
    if (*count != expected) {
      return participants.wrong(fmt::format("{} participants, but {} ranks and routers", *count, expected));
    }
    head.participants = static_cast<Rank>(*count);
    for (Rank participant = 0; participant < head.participants; ++participant) {
      const auto streams = participants.item(participant)->size();
      if (!streams) return Failure(streams.error());
      head.streams = std::max(head.streams, static_cast<std::uint32_t>(std::min<std::size_t>(*streams, no_id)));
    }
    return {};
  }
};

struct SizesOfSchedule {
  [[nodiscard]] Result<> read(const JsonValue& value, WrittenSizes& into) const {
    MemberReader fields(value);
    fields.optional("from", into.from, Count{});
    if (value.has("to")) fields.nullable("to", into.to, Count{into.from});
    fields.optional("multiple_of", into.multiple_of, Count{1});
    fields.no_others("sizes");
    return fields.result();
  }
};

/// What a schedule is for.
Result<> read_schedule_head(const JsonValue& value, WrittenHead& head, WrittenSizes& sizes) {
  std::uint32_t routers = 0;
  MemberReader fields(value);
  fields.member("collective", head.collective, collective_word);
  fields.member("ranks", head.ranks, number);
  if (has_root(head.collective)) {
    fields.member("root", head.root, number);
  } else {
    fields.optional("root", head.root, Refused{"a collective without a root"});
  }
  fields.optional("blocks", head.blocks, number);
  // One vector is cut into blocks, and each scratch slot is as large as one of them; otherwise they are only counted.
  if (head.cuts_one_vector()) {
    fields.optional("scratch", head.scratch, List{number});
  } else {
    fields.optional("scratch", head.scratch, ScratchCount{});
  }
  if (head.collective == Collective::halo) {
    head.blocks = 0;
    fields.member("neighbours", head, Each{NeighbourRow{}});
  } else {
    fields.optional("neighbours", head, Refused{"only a halo has neighbours"});
  }
  fields.optional("routers", routers, number);
  fields.member("participants", head, ParticipantCount{std::uint64_t{head.ranks} + routers});
  fields.optional("sizes", sizes, SizesOfSchedule{});
  fields.no_others("a schedule");
  return fields.result();
}

struct ScheduleOfFile {
  [[nodiscard]] Result<> read(const JsonValue& value, std::vector<WrittenWithSizes>& into) const {
    WrittenHead head;
    WrittenSizes sizes;
    if (auto read = read_schedule_head(value, head, sizes); !read) return read;
    auto writer = AlgorithmWriter::begin(head);
    if (!writer) return placed(value, writer);
    if (auto read = read_steps(*value.at("participants"), *writer); !read) return read;
    const auto algorithm = writer->finish();
    if (auto right = placed(value, verify_written(algorithm, sizes)); !right) return right;
    into.push_back({algorithm, sizes});
    return {};
  }
};

/// The schedules of a file, of which there is at least one.
struct Schedules {
  [[nodiscard]] Result<> read(const JsonValue& value, std::vector<WrittenWithSizes>& into) const {
    const auto count = value.size();
    if (!count) return Failure(count.error());
    if (*count == 0 || *count > max_schedules_of_file) {
      return value.wrong(fmt::format("expected 1 to {} schedules", max_schedules_of_file));
    }
    return Each{ScheduleOfFile{}}.read(value, into);
  }
};

Failure too_large(std::string_view file) {
  return fail_at(file, 0, fmt::format("more than {} MiB", max_schedule_file_bytes >> 20U));
}

}  // namespace

const WrittenWithSizes* find_schedule(const ScheduleFile& file, const CollectiveCall& call) {
  const auto fits = [&](const WrittenWithSizes& schedule) {
    const WrittenHead& head = schedule.algorithm->head();
    return head.collective == call.collective && head.ranks == call.ranks &&
           (!has_root(call.collective) || head.root == call.root) && schedule.sizes.admit(call.bytes);
  };
  const auto found = std::ranges::find_if(file.schedules, fits);
  return found == file.schedules.end() ? nullptr : &*found;
}

std::string schedule_file_text(const ScheduleFile& file) {
  std::vector<std::string> schedules;
  for (const WrittenWithSizes& schedule : file.schedules) schedules.push_back(schedule_text(schedule));
  return fmt::format("{{\"format\":\"{}\",\n \"version\":{},\n \"name\":{},\n \"schedules\":[\n{}\n ]}}\n",
                     schedule_head.format, artefact_version,
                     Json(file.name).dump(-1, ' ', false, Json::error_handler_t::replace), fmt::join(schedules, ",\n"));
}

Result<> write_schedule_file(const ScheduleFile& file, const std::filesystem::path& path) {
  return write_file(path, schedule_file_text(file));
}

Result<ScheduleFile> parse_schedule_file(std::string_view text, std::string_view file) {
  if (text.size() > max_schedule_file_bytes) return too_large(file);
  return parse_artefact<ScheduleFile>(schedule_head, text, file, [](auto& fields, auto& read) {
    fields.member("name", read.name, Text{});
    fields.member("schedules", read.schedules, Schedules{});
    fields.no_others("a file of schedules");
  });
}

Result<ScheduleFile> read_schedule_file(const std::filesystem::path& path) {
  std::error_code code;
  const auto bytes = std::filesystem::file_size(path, code);
  if (!code && bytes > max_schedule_file_bytes) return too_large(path.string());
  return read_artefact(path, parse_schedule_file);
}

}  // namespace ayatori
