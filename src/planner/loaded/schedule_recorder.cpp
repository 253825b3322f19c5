#include "schedule_recorder.hpp"

#include <algorithm>
#include <utility>

namespace ayatori {

namespace {

ScheduleRecorder& recorder(ayatori_schedule* schedule) { return *static_cast<ScheduleRecorder*>(schedule); }

constexpr ayatori_schedule_functions functions = {
    .version = AYATORI_ALGORITHM_VERSION,
    .layout = [](ayatori_schedule* s, std::uint32_t blocks,
                 std::uint32_t streams) { return recorder(s).set_layout(blocks, streams); },
    .scratch = [](ayatori_schedule* s, std::uint32_t block) { return recorder(s).add_scratch(block); },
    .step = [](ayatori_schedule* s, std::uint32_t rank,
               std::uint32_t stream) { return recorder(s).begin_step(rank, stream); },
    .send = [](ayatori_schedule* s, std::uint32_t to, std::uint32_t first,
               std::uint32_t count) { return recorder(s).add_message(to, {first, count}, true); },
    .receive = [](ayatori_schedule* s, std::uint32_t from, std::uint32_t first,
                  std::uint32_t count) { return recorder(s).add_message(from, {first, count}, false); },
    .append = [](ayatori_schedule* s, std::uint32_t first,
                 std::uint32_t count) { return recorder(s).append({first, count}); },
    .copy =
        [](ayatori_schedule* s, std::uint32_t first, std::uint32_t count, std::uint32_t into) {
          return recorder(s).add_local({LocalOperation::Kind::copy, {first, count}, into});
        },
    .reduce =
        [](ayatori_schedule* s, std::uint32_t first, std::uint32_t count, std::uint32_t into) {
          return recorder(s).add_local({LocalOperation::Kind::reduce, {first, count}, into});
        },
    .refuse = [](ayatori_schedule* s, const char* why) { return recorder(s).refuse(why); },
};

/// As one line that a terminal can show, whatever the library has said.
std::string one_line(const char* text) {
  constexpr std::size_t longest = 200;
  std::string line(text, strnlen(text, longest));
  std::ranges::replace_if(line, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
  return line;
}

}  // namespace

ScheduleRecorder::ScheduleRecorder(const CollectiveCall& call) : ayatori_schedule{&ayatori::functions} {
  head_.collective = call.collective;
  head_.ranks = call.ranks;
  head_.participants = call.ranks;
  if (has_root(call.collective)) head_.root = call.root;
}

Result<> ScheduleRecorder::begin_writing() {
  if (writer_) return {};
  auto begun = AlgorithmWriter::begin(head_);
  if (!begun) return Failure(begun.error());
  writer_.emplace(std::move(*begun));
  return {};
}

int ScheduleRecorder::remember(const Result<>& result) {
  if (!result && !error_) error_ = result.error();
  return error_ ? -1 : 0;
}

int ScheduleRecorder::set_layout(std::uint32_t blocks, std::uint32_t streams) {
  if (writer_ || !head_.scratch.empty()) return remember(fail("ayatori_layout after other functions"));
  head_.blocks = blocks;
  head_.streams = streams;
  return remember({});
}

std::uint32_t ScheduleRecorder::add_scratch(std::uint32_t block) {
  if (writer_) return static_cast<std::uint32_t>(remember(fail("ayatori_scratch after the first step")));
  const std::uint64_t slot = head_.own_slots() + head_.scratch.size();
  if (slot >= written_limits.slots) return static_cast<std::uint32_t>(remember(fail("more than {} slots", slot)));
  head_.scratch.push_back(block);
  return remember({}) == 0 ? static_cast<std::uint32_t>(slot) : no_id;
}

int ScheduleRecorder::begin_step(Rank rank, std::uint32_t stream) {
  if (error_) return -1;
  if (auto begun = begin_writing(); !begun) return remember(begun);
  return remember(writer_->step(rank, stream));
}

int ScheduleRecorder::add_message(Rank peer, SlotRange slots, bool is_send) {
  if (error_) return -1;
  if (!writer_) return remember(fail("a message without a step"));
  return remember(is_send ? writer_->send(peer, {&slots, 1}) : writer_->receive(peer, {&slots, 1}));
}

int ScheduleRecorder::append(SlotRange slots) {
  if (error_) return -1;
  return remember(writer_ ? writer_->append(slots) : fail("more slots of a message, but there is no message"));
}

int ScheduleRecorder::add_local(const LocalOperation& operation) {
  if (error_) return -1;
  return remember(writer_ ? writer_->local(operation) : fail("a local operation without a step"));
}

int ScheduleRecorder::refuse(const char* why) {
  refusal_ = why == nullptr ? "it does not say why" : one_line(why);
  return -1;
}

Result<std::shared_ptr<const WrittenAlgorithm>> ScheduleRecorder::finish() {
  if (!error_) remember(begin_writing());
  if (error_) return Failure(*error_);
  return writer_->finish();
}

}  // namespace ayatori
