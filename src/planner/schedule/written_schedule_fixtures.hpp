#pragma once
/// \file
/// Schedules for tests: written out by hand, or copied from another and then changed.

#include <map>
#include <utility>
#include <vector>

#include "ayatori/schedule/schedule.hpp"

namespace ayatori {

/// All steps of all participants, stored.
class WrittenSchedule final : public Schedule {
 public:
  /// Empty steps; slots of the given sizes.
  WrittenSchedule(const CollectiveCall& call, std::vector<Bytes> slot_bytes, std::uint32_t blocks, std::size_t steps,
                  std::uint32_t streams = 1)
      : call_(call),
        slot_bytes_(call.ranks, std::move(slot_bytes)),
        slots_(static_cast<Slot>(slot_bytes_.front().size())),
        blocks_(blocks),
        participants_(call.ranks) {
    steps_.assign(streams, std::vector(steps, std::vector<StepActions>(participants_)));
  }

  explicit WrittenSchedule(const Schedule& other)
      : call_(other.call()),
        slot_bytes_(other.participant_count()),
        slots_(other.slot_count()),
        blocks_(other.block_count()),
        participants_(other.participant_count()) {
    if (other.call().collective == Collective::halo) {
      for (Rank r = 0; r < other.call().ranks; ++r) {
        for (std::uint32_t face = 0; face < blocks_; ++face) set_neighbour(r, face, other.neighbour(r, face));
      }
    }
    for (Rank r = 0; r < participants_; ++r) {
      for (Slot slot = 0; slot < slots_; ++slot) slot_bytes_[r].push_back(other.slot_bytes(r, slot));
    }
    for (std::uint32_t stream = 0; stream < other.stream_count(); ++stream) {
      steps_.emplace_back(other.step_count(stream), std::vector<StepActions>(participants_));
      for (std::size_t step = 0; step < steps_.back().size(); ++step) {
        for (Rank r = 0; r < participants_; ++r) other.actions(r, stream, step, steps_.back()[step][r]);
      }
    }
  }

  void set_neighbour(Rank rank, std::uint32_t face, Rank neighbour) { neighbours_[{rank, face}] = neighbour; }
  Bytes& slot_bytes(Rank participant, Slot slot) { return slot_bytes_[participant][slot]; }
  StepActions& at(Rank participant, std::size_t step, std::uint32_t stream = 0) {
    return steps_[stream][step][participant];
  }

  [[nodiscard]] const CollectiveCall& call() const override { return call_; }
  [[nodiscard]] Rank participant_count() const override { return participants_; }
  [[nodiscard]] std::uint32_t stream_count() const override { return static_cast<std::uint32_t>(steps_.size()); }
  [[nodiscard]] std::size_t step_count(std::uint32_t stream) const override { return steps_[stream].size(); }
  [[nodiscard]] std::uint32_t block_count() const override { return blocks_; }
  [[nodiscard]] Rank neighbour(Rank rank, std::uint32_t face) const override {
    const auto known = neighbours_.find({rank, face});
    return known == neighbours_.end() ? no_id : known->second;
  }
  [[nodiscard]] Slot slot_count() const override { return slots_; }
  [[nodiscard]] Bytes slot_bytes(Rank participant, Slot slot) const override { return slot_bytes_[participant][slot]; }
  void actions(Rank participant, std::uint32_t stream, std::size_t step, StepActions& actions) const override {
    actions = steps_[stream][step][participant];
  }

 private:
  CollectiveCall call_;
  std::vector<std::vector<Bytes>> slot_bytes_;  // by participant and slot
  Slot slots_;
  std::uint32_t blocks_;
  Rank participants_;
  std::map<std::pair<Rank, std::uint32_t>, Rank> neighbours_;  // by rank and side
  std::vector<std::vector<std::vector<StepActions>>> steps_;   // by stream, step, participant
};

}  // namespace ayatori
