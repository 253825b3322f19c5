#include "ayatori/schedule/schedule.hpp"

#include <algorithm>
#include <utility>

namespace ayatori {

void StepActions::clear() {
  ranges.clear();
  sends.clear();
  receives.clear();
  locals.clear();
}

void StepActions::add(std::vector<Transfer>& transfers, Rank peer, std::span<const SlotRange> slots) {
  Transfer transfer{peer, static_cast<std::uint32_t>(ranges.size()), 0};
  for (const SlotRange& range : slots) {
    if (range.count == 0) continue;
    ranges.push_back(range);
    ++transfer.range_count;
  }
  transfers.push_back(transfer);
}

Bytes bytes_in(const Schedule& schedule, Rank participant, SlotRange slots) {
  Bytes bytes = 0;
  for (std::uint32_t k = 0; k < slots.count; ++k) bytes += schedule.slot_bytes(participant, slots.first + k);
  return bytes;
}

Bytes bytes_of(const Schedule& schedule, Rank participant, const StepActions& actions, const Transfer& transfer) {
  Bytes bytes = 0;
  for (std::uint32_t i = 0; i < transfer.range_count; ++i) {
    bytes += bytes_in(schedule, participant, actions.ranges[transfer.first_range + i]);
  }
  return bytes;
}

ScheduleTotals totals_of(const Schedule& schedule) {
  ScheduleTotals totals;
  StepActions actions;
  for (std::uint32_t stream = 0; stream < schedule.stream_count(); ++stream) {
    for (std::size_t step = 0; step < schedule.step_count(stream); ++step) {
      for (Rank participant = 0; participant < schedule.participant_count(); ++participant) {
        schedule.actions(participant, stream, step, actions);
        totals.messages += actions.sends.size();
        for (const Transfer& send : actions.sends) totals.bytes += bytes_of(schedule, participant, actions, send);
      }
    }
  }
  return totals;
}

namespace {

class StepsOfSchedule final : public StepSequence {
 public:
  explicit StepsOfSchedule(SchedulePtr schedule) : schedule_(std::move(schedule)) {
    for (std::uint32_t stream = 0; stream < schedule_->stream_count(); ++stream) {
      steps_ = std::max(steps_, schedule_->step_count(stream));
    }
  }

  [[nodiscard]] Rank rank_count() const override { return schedule_->participant_count(); }
  [[nodiscard]] std::size_t step_count() const override { return steps_; }

  void step(std::size_t index, std::vector<Message>& messages) const override {
    messages.clear();
    StepActions actions;
    for (Rank from = 0; from < rank_count(); ++from) {
      for (std::uint32_t stream = 0; stream < schedule_->stream_count(); ++stream) {
        if (index >= schedule_->step_count(stream)) continue;
        schedule_->actions(from, stream, index, actions);
        for (const Transfer& send : actions.sends) {
          messages.push_back({from, send.peer, bytes_of(*schedule_, from, actions, send)});
        }
      }
    }
  }

 private:
  SchedulePtr schedule_;
  std::size_t steps_ = 0;
};

}  // namespace

std::unique_ptr<StepSequence> steps_of(SchedulePtr schedule) {
  return std::make_unique<StepsOfSchedule>(std::move(schedule));
}

}  // namespace ayatori
