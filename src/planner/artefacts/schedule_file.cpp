#include "ayatori/artefacts/schedule_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <system_error>

#include "artefact_reader.hpp"
#include "ayatori/base/files.hpp"

namespace ayatori {

namespace {

using Json = nlohmann::ordered_json;

constexpr ArtefactHead schedule_head = {
    .format = "ayatori-schedule",
    .name = "a file of schedules",
    .made_by = "`ayatori simulate SOURCE … --schedule-out FILE` writes one",
};
constexpr std::uint64_t max_number = 0xFFFF'FFFE;  // no_id is none

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
    const char* kind = local.kind == LocalOperation::Kind::copy ? "copy" : "reduce";
    step["then"].push_back({{"do", kind}, {"slots", {local.from.first, local.from.count}}, {"into", local.to}});
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

Result<> expect_only(const JsonValue& object, std::initializer_list<std::string_view> names, std::string_view of) {
  const auto other = object.other_member({names.begin(), names.size()});
  if (!other) return Failure(other.error());
  return *other ? (*other)->wrong(fmt::format("no member of {}", of)) : Result<>();
}

Result<std::uint32_t> number(const JsonValue& value) {
  const auto count = value.count();
  if (count && *count <= max_number) return static_cast<std::uint32_t>(*count);
  return value.wrong(fmt::format("expected a whole number from 0 to {}", max_number));
}

Result<std::uint32_t> number_at(const JsonValue& object, std::string_view key) {
  const auto member = object.at(key);
  return member ? number(*member) : Failure(member.error());
}

/// A number that need not be there.
Result<std::uint32_t> number_or(const JsonValue& object, std::string_view key, std::uint32_t otherwise) {
  return object.has(key) ? number_at(object, key) : otherwise;
}

/// The failure of a place in the file.
template <typename T>
Result<> placed(const JsonValue& value, const Result<T>& result) {
  return result ? Result<>() : value.wrong(result.error().message);
}

/// Calls `function` with each item of an array, one at a time.
template <typename Function>
Result<> for_each_item(const JsonValue& array, Function function) {
  const auto size = array.size();
  if (!size) return Failure(size.error());
  for (std::size_t i = 0; i < *size; ++i) {
    if (Result<> ok = function(array.item(i).value()); !ok) return ok;
  }
  return {};
}

/// The same for a member, which may be missing.
template <typename Function>
Result<> for_each_item_at(const JsonValue& object, std::string_view key, Function function) {
  const auto member = object.find(key);
  if (!member) return Failure(member.error());
  return *member ? for_each_item(**member, function) : Result<>();
}

/// [first, count]
Result<SlotRange> read_range(const JsonValue& value) {
  const auto size = value.size();
  if (!size) return Failure(size.error());
  if (*size != 2) return value.wrong("expected two numbers: the first slot, and how many there are");
  const auto first = number(*value.item(0));
  if (!first) return Failure(first.error());
  const auto count = number(*value.item(1));
  if (!count) return Failure(count.error());
  return SlotRange{*first, *count};
}

/// Reads one schedule, first what it is for, then its steps.
class ScheduleReader {
 public:
  explicit ScheduleReader(JsonValue value) : value_(std::move(value)) {}

  Result<WrittenWithSizes> read() {
    if (auto ok = read_head_members(); !ok) return Failure(ok.error());
    const auto sizes = read_sizes();
    if (!sizes) return Failure(sizes.error());
    auto writer = AlgorithmWriter::begin(head_);
    if (!writer) return value_.wrong(writer.error().message);
    if (auto ok = read_participants(*writer); !ok) return Failure(ok.error());
    const auto algorithm = writer->finish();
    if (auto right = placed(value_, verify_written(algorithm, *sizes)); !right) return Failure(right.error());
    return WrittenWithSizes{algorithm, *sizes};
  }

 private:
  Result<> read_head_members() {
    const auto known = expect_only(
        value_, {"collective", "ranks", "root", "routers", "blocks", "scratch", "neighbours", "sizes", "participants"},
        "a schedule");
    if (!known) return known;
    const auto word = value_.text_at("collective");
    if (!word) return Failure(word.error());
    const auto collective = parse_collective(*word);
    if (!collective) return value_.at("collective")->wrong("no collective has this name");
    head_.collective = *collective;
    if (auto ok = read_numbers(); !ok) return ok;
    if (auto ok = read_scratch(); !ok) return ok;
    if (auto ok = read_neighbours(); !ok) return ok;
    return read_participant_count();
  }

  Result<> read_numbers() {
    const auto ranks = number_at(value_, "ranks");
    if (!ranks) return Failure(ranks.error());
    head_.ranks = *ranks;
    if (has_root(head_.collective) || value_.has("root")) {
      const auto root = number_at(value_, "root");
      if (!root) return Failure(root.error());
      if (!has_root(head_.collective)) return value_.at("root")->wrong("a collective without a root");
      head_.root = *root;
    }
    const auto blocks = number_or(value_, "blocks", 1);
    if (!blocks) return Failure(blocks.error());
    head_.blocks = *blocks;
    return {};
  }

  /// One vector is cut into blocks, and each scratch slot is as large as one of them; otherwise they are only counted.
  Result<> read_scratch() {
    if (!head_.cuts_one_vector()) {
      const auto count = number_or(value_, "scratch", 0);
      if (!count) return Failure(count.error());
      if (*count > written_limits.slots) return value_.at("scratch")->wrong("more than a schedule may have");
      head_.scratch.assign(*count, 0);
      return {};
    }
    return for_each_item_at(value_, "scratch", [&](const JsonValue& item) -> Result<> {
      const auto block = number(item);
      if (!block) return Failure(block.error());
      head_.scratch.push_back(*block);
      return {};
    });
  }

  /// Of a halo: rows of ranks, with null where the grid ends.
  Result<> read_neighbours() {
    if (head_.collective != Collective::halo) {
      return value_.has("neighbours") ? value_.at("neighbours")->wrong("only a halo has neighbours") : Result<>();
    }
    const auto rows = value_.at("neighbours");
    if (!rows) return Failure(rows.error());
    head_.blocks = 0;
    return for_each_item(*rows, [&](const JsonValue& row) -> Result<> {
      const auto sides = row.size();
      if (!sides) return Failure(sides.error());
      if (head_.neighbours.empty()) head_.blocks = static_cast<std::uint32_t>(std::min<std::size_t>(*sides, no_id));
      if (*sides != head_.blocks) return row.wrong("expected as many neighbours as in the rows before");
      for (std::size_t side = 0; side < *sides; ++side) {
        const JsonValue item = *row.item(side);
        const auto rank = item.is_null() ? Result<std::uint32_t>(no_id) : number(item);
        if (!rank) return Failure(rank.error());
        head_.neighbours.push_back(*rank);
      }
      return {};
    });
  }

  Result<> read_participant_count() {
    const auto routers = number_or(value_, "routers", 0);
    if (!routers) return Failure(routers.error());
    const auto participants = value_.at("participants");
    if (!participants) return Failure(participants.error());
    const auto count = participants->size();
    if (!count) return Failure(count.error());
    const std::uint64_t expected = std::uint64_t{head_.ranks} + *routers;
    if (*count != expected)
      return participants->wrong(fmt::format("{} participants, but {} ranks and routers", *count, expected));
    head_.participants = static_cast<Rank>(*count);
    return for_each_item(*participants, [&](const JsonValue& streams) -> Result<> {
      const auto here = streams.size();
      if (!here) return Failure(here.error());
      head_.streams = std::max(head_.streams, static_cast<std::uint32_t>(std::min<std::size_t>(*here, no_id)));
      return {};
    });
  }

  [[nodiscard]] Result<WrittenSizes> read_sizes() const {
    WrittenSizes sizes;
    const auto member = value_.find("sizes");
    if (!member) return Failure(member.error());
    if (!*member) return sizes;
    const JsonValue& value = **member;
    if (auto ok = expect_only(value, {"from", "to", "multiple_of"}, "sizes"); !ok) return Failure(ok.error());
    const auto from = value.has("from") ? count_at(value, "from", 0, max_count) : Result<std::uint64_t>(0);
    if (!from) return Failure(from.error());
    sizes.from = *from;
    const auto to = value.find("to");
    if (!to) return Failure(to.error());
    if (*to) {
      const auto last = count_at(value, "to", sizes.from, max_count);
      if (!last) return Failure(last.error());
      sizes.to = *last;
    }
    const auto unit =
        value.has("multiple_of") ? count_at(value, "multiple_of", 1, max_count) : Result<std::uint64_t>(1);
    if (!unit) return Failure(unit.error());
    sizes.multiple_of = *unit;
    return sizes;
  }

  Result<> read_participants(AlgorithmWriter& writer) {
    Rank participant = 0;
    return for_each_item(*value_.at("participants"), [&](const JsonValue& streams) {
      std::uint32_t stream = 0;
      const auto read = for_each_item(streams, [&](const JsonValue& steps) {
        const auto ok =
            for_each_item(steps, [&](const JsonValue& step) { return read_step(writer, step, participant, stream); });
        ++stream;
        return ok;
      });
      ++participant;
      return read;
    });
  }

  static Result<> read_step(AlgorithmWriter& writer, const JsonValue& step, Rank participant, std::uint32_t stream) {
    if (auto ok = expect_only(step, {"send", "receive", "then"}, "a step"); !ok) return ok;
    if (auto ok = placed(step, writer.step(participant, stream)); !ok) return ok;
    const auto sends = for_each_item_at(step, "send", [&](const JsonValue& message) {
      return read_message(writer, message, "to", &AlgorithmWriter::send);
    });
    if (!sends) return sends;
    const auto receives = for_each_item_at(step, "receive", [&](const JsonValue& message) {
      return read_message(writer, message, "from", &AlgorithmWriter::receive);
    });
    if (!receives) return receives;
    return for_each_item_at(step, "then", [&](const JsonValue& local) { return read_local(writer, local); });
  }

  template <typename Add>
  static Result<> read_message(AlgorithmWriter& writer, const JsonValue& message, std::string_view peer_key, Add add) {
    if (auto ok = expect_only(message, {peer_key, "slots"}, "a message"); !ok) return ok;
    const auto peer = number_at(message, peer_key);
    if (!peer) return Failure(peer.error());
    if (auto ok = placed(message, (writer.*add)(*peer, {})); !ok) return ok;
    const auto slots = message.at("slots");
    if (!slots) return Failure(slots.error());
    return for_each_item(*slots, [&](const JsonValue& item) -> Result<> {
      const auto range = read_range(item);
      if (!range) return Failure(range.error());
      return placed(item, writer.append(*range));
    });
  }

  static Result<> read_local(AlgorithmWriter& writer, const JsonValue& local) {
    if (auto ok = expect_only(local, {"do", "slots", "into"}, "a local operation"); !ok) return ok;
    const auto kind = local.text_at("do");
    if (!kind) return Failure(kind.error());
    if (*kind != "copy" && *kind != "reduce") return local.at("do")->wrong("expected copy or reduce");
    const auto slots = local.at("slots");
    if (!slots) return Failure(slots.error());
    const auto from = read_range(*slots);
    if (!from) return Failure(from.error());
    const auto into = number_at(local, "into");
    if (!into) return Failure(into.error());
    const auto operation = *kind == "copy" ? LocalOperation::Kind::copy : LocalOperation::Kind::reduce;
    return placed(local, writer.local({operation, *from, *into}));
  }

  JsonValue value_;
  WrittenHead head_;
};

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
  if (text.size() > max_schedule_file_bytes) {
    return fail_at(file, 0, fmt::format("more than {} MiB", max_schedule_file_bytes >> 20U));
  }
  const auto document = JsonValue::parse(text, file);
  if (!document) return Failure(document.error());
  if (auto checked = read_head(*document, schedule_head); !checked) return Failure(checked.error());
  if (auto ok = expect_only(*document, {"format", "version", "name", "schedules"}, "a file of schedules"); !ok) {
    return Failure(ok.error());
  }
  ScheduleFile read;
  auto name = document->text_at("name");
  if (!name) return Failure(name.error());
  read.name = std::move(*name);
  const auto schedules = document->at("schedules");
  if (!schedules) return Failure(schedules.error());
  const auto count = schedules->size();
  if (!count) return Failure(count.error());
  if (*count == 0 || *count > max_schedules_of_file) {
    return schedules->wrong(fmt::format("expected 1 to {} schedules", max_schedules_of_file));
  }
  for (std::size_t i = 0; i < *count; ++i) {
    auto schedule = ScheduleReader(*schedules->item(i)).read();
    if (!schedule) return Failure(schedule.error());
    read.schedules.push_back(std::move(*schedule));
  }
  return read;
}

Result<ScheduleFile> read_schedule_file(const std::filesystem::path& path) {
  std::error_code code;
  const auto bytes = std::filesystem::file_size(path, code);
  if (!code && bytes > max_schedule_file_bytes) {
    return fail_at(path.string(), 0, fmt::format("more than {} MiB", max_schedule_file_bytes >> 20U));
  }
  const auto text = read_file(path);
  if (!text) return Failure(text.error());
  return parse_schedule_file(*text, path.string());
}

}  // namespace ayatori
