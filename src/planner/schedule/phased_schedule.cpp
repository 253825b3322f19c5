#include "phased_schedule.hpp"

#include <algorithm>

namespace ayatori {

Bytes SlotLayout::slot_bytes(Slot slot) const {
  const Slot first_pair = blocks * copies;
  if (slot < first_pair) return block_bytes(slot % blocks);
  return block_bytes((slot - first_pair) % 2 == 0 ? 0 : blocks - 1);
}

Slot SlotLayout::scratch(std::uint32_t pair, std::uint32_t block) const {
  const bool large = block_bytes(block) == block_bytes(0);
  return blocks * copies + 2 * pair + (large ? 0 : 1);
}

void PhasedSchedule::then(std::uint32_t stream, PhasePtr phase) {
  const std::size_t end = stream < streams_.size() ? streams_[stream].steps : 0;
  at(stream, end, std::move(phase));
}

void PhasedSchedule::at(std::uint32_t stream, std::size_t first_step, PhasePtr phase) {
  if (stream >= streams_.size()) streams_.resize(stream + 1);
  Stream& target = streams_[stream];
  target.steps = std::max(target.steps, first_step + phase->steps());
  target.phases.push_back({first_step, std::move(phase)});
}

void PhasedSchedule::actions(Rank participant, std::uint32_t stream, std::size_t step, StepActions& actions) const {
  actions.clear();
  for (const Placed& placed : streams_[stream].phases) {
    if (step < placed.first_step || step - placed.first_step >= placed.phase->steps()) continue;
    placed.phase->add(participant, step - placed.first_step, actions);
  }
  if (call_.collective == Collective::alltoallv) leave_out_empty(*this, participant, actions);
}

void leave_out_empty(const Schedule& schedule, Rank participant, StepActions& actions) {
  const auto empty = [&](const Transfer& transfer) { return bytes_of(schedule, participant, actions, transfer) == 0; };
  std::erase_if(actions.sends, empty);
  std::erase_if(actions.receives, empty);
  std::erase_if(actions.locals,
                [&](const LocalOperation& local) { return bytes_in(schedule, participant, local.from) == 0; });
}

void append_slots(std::vector<SlotRange>& ranges, SlotRange slots) {
  if (!ranges.empty() && ranges.back().first + ranges.back().count == slots.first) {
    ranges.back().count += slots.count;
  } else {
    ranges.push_back(slots);
  }
}

CyclicRange::CyclicRange(Slot base, std::uint32_t n, std::uint32_t first, std::uint32_t count) {
  first %= n;
  const std::uint32_t straight = std::min(count, n - first);
  ranges[0] = {base + first, straight};
  ranges[1] = {base, count - straight};
}

}  // namespace ayatori
