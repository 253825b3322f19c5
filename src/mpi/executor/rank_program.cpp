#include "ayatori/executor/rank_program.hpp"

#include <algorithm>

namespace ayatori {

namespace {

using Piece = RankProgram::Piece;

/// Where the slots of one participant lie.
class SlotOffsets {
 public:
  SlotOffsets(const Schedule& schedule, Rank participant, const ProgramOptions& options)
      : region_starts_(options.region_starts), element_bytes_(options.element_bytes) {
    std::uint32_t region = 0;
    Bytes offset = 0;
    for (Slot slot = 0; slot < schedule.slot_count(); ++slot) {
      while (region + 1 < region_starts_.size() && region_starts_[region + 1] == slot) {
        region_bytes_.push_back(offset);
        offset = 0;
        ++region;
      }
      const Bytes bytes = schedule.slot_bytes(participant, slot) * element_bytes_;
      slots_.push_back({region, offset, bytes});
      offset += bytes;
    }
    region_bytes_.push_back(offset);
    region_bytes_.resize(region_starts_.size());
  }

  [[nodiscard]] const Piece& operator[](Slot slot) const { return slots_[slot]; }
  [[nodiscard]] const std::vector<Bytes>& region_bytes() const { return region_bytes_; }

 private:
  const std::vector<Slot>& region_starts_;
  Bytes element_bytes_;
  std::vector<Piece> slots_;
  std::vector<Bytes> region_bytes_;
};

bool continues(const Piece& before, const Piece& next) {
  return before.region == next.region && before.offset + before.bytes == next.offset;
}

}  // namespace

class ProgramCompiler {
 public:
  ProgramCompiler(const Schedule& schedule, Rank participant, const ProgramOptions& options)
      : schedule_(schedule), participant_(participant), options_(options), offsets_(schedule, participant, options) {}

  RankProgram compile() {
    program_.region_bytes_ = offsets_.region_bytes();
    for (std::uint32_t stream = 0; stream < schedule_.stream_count(); ++stream) add_stream(stream);
    return std::move(program_);
  }

 private:
  void add_stream(std::uint32_t number) {
    RankProgram::Stream stream;
    stream.first_request = program_.max_open_messages_;
    std::uint32_t largest_step = 0;
    StepActions actions;
    for (std::size_t index = 0; index < schedule_.step_count(number); ++index) {
      schedule_.actions(participant_, number, index, actions);
      const RankProgram::Step step = add_step(actions);
      if (step.message_count() == 0 && step.local_count == 0) continue;
      largest_step = std::max(largest_step, step.message_count());
      stream.steps.push_back(step);
    }
    program_.max_open_messages_ += largest_step;
    program_.streams_.push_back(std::move(stream));
  }

  RankProgram::Step add_step(const StepActions& actions) {
    RankProgram::Step step;
    step.first_message = static_cast<std::uint32_t>(program_.messages_.size());
    step.first_local = static_cast<std::uint32_t>(program_.locals_.size());
    for (const Transfer& receive : actions.receives) add_message(actions, receive);
    for (const Transfer& send : actions.sends) add_message(actions, send);
    if (!options_.timing_only) {
      for (const LocalOperation& local : actions.locals) add_local(local);
    }
    step.receive_count = static_cast<std::uint32_t>(actions.receives.size());
    step.send_count = static_cast<std::uint32_t>(actions.sends.size());
    step.local_count = static_cast<std::uint32_t>(program_.locals_.size()) - step.first_local;
    return step;
  }

  void add_message(const StepActions& actions, const Transfer& transfer) {
    auto& pieces = program_.pieces_;
    RankProgram::Message message{transfer.peer, static_cast<std::uint32_t>(pieces.size()), 0, 0};
    for (std::uint32_t i = 0; i < transfer.range_count; ++i) {
      const SlotRange range = actions.ranges[transfer.first_range + i];
      for (Slot slot = range.first; slot < range.first + range.count; ++slot) {
        const Piece& piece = offsets_[slot];
        message.bytes += piece.bytes;
        if (piece.bytes == 0 || options_.timing_only) continue;
        if (pieces.size() > message.first_piece && continues(pieces.back(), piece)) {
          pieces.back().bytes += piece.bytes;
        } else {
          pieces.push_back(piece);
        }
      }
    }
    if (options_.timing_only && message.bytes > 0) pieces.push_back({0, 0, message.bytes});
    message.piece_count = static_cast<std::uint32_t>(pieces.size()) - message.first_piece;
    program_.max_pieces_ = std::max(program_.max_pieces_, message.piece_count);
    program_.max_message_bytes_ = std::max(program_.max_message_bytes_, message.bytes);
    program_.messages_.push_back(message);
  }

  /// Slots that follow each other in both places are one operation.
  void add_local(const LocalOperation& operation) {
    auto& locals = program_.locals_;
    const std::size_t first = locals.size();
    for (std::uint32_t k = 0; k < operation.from.count; ++k) {
      const Piece& from = offsets_[operation.from.first + k];
      const Piece& to = offsets_[operation.to + k];
      if (from.bytes == 0) continue;
      if (locals.size() > first && continues(locals.back().from, from) && continues(locals.back().to, to)) {
        locals.back().from.bytes += from.bytes;
        locals.back().to.bytes += from.bytes;
      } else {
        locals.push_back({operation.kind, from, to});
      }
    }
  }

  const Schedule& schedule_;
  Rank participant_;
  const ProgramOptions& options_;
  SlotOffsets offsets_;
  RankProgram program_;
};

Result<RankProgram> RankProgram::compile(const Schedule& schedule, Rank participant, const ProgramOptions& options) {
  if (participant >= schedule.participant_count()) {
    return fail("participant {} of a schedule of {} participants", participant, schedule.participant_count());
  }
  if (options.element_bytes == 0) return fail("an element needs at least one byte");
  const auto& starts = options.region_starts;
  const bool rising = std::adjacent_find(starts.begin(), starts.end(), std::greater_equal<>()) == starts.end();
  if (starts.empty() || starts.front() != 0 || !rising) {
    return fail("regions of memory must begin at slot 0 and at rising slots after it");
  }
  return ProgramCompiler(schedule, participant, options).compile();
}

}  // namespace ayatori
