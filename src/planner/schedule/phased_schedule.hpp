#pragma once
/// \file
/// What all algorithms are made of: phases, one after another or overlapping, on one or several streams.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "ayatori/schedule/schedule.hpp"

namespace ayatori {

/// A number of steps that all participants take together. Adds to `actions`, never clears them.
class Phase {
 public:
  virtual ~Phase() = default;
  [[nodiscard]] virtual std::size_t steps() const = 0;
  virtual void add(Rank participant, std::size_t step, StepActions& actions) const = 0;
};

using PhasePtr = std::unique_ptr<Phase>;

/// Removes messages and local operations of 0 bytes (alltoallv only), as MPI libraries do; both ends know the sizes.
void leave_out_empty(const Schedule& schedule, Rank participant, StepActions& actions);

/// Sizes of slots: a vector of `bytes` cut into `blocks`, `copies` times, then `pairs` of scratch slots that
/// have the sizes of the largest and of the smallest block: any block finds one that fits. With one block every slot
/// holds `bytes`. Blocks differ by at most one byte, or with `chunk` > 0 they have that many bytes, the last ones what
/// is left: as MPI libraries cut pieces.
struct SlotLayout {
  Bytes bytes = 0;
  std::uint32_t blocks = 1;
  std::uint32_t copies = 1;
  std::uint32_t pairs = 0;
  Bytes chunk = 0;

  [[nodiscard]] Slot slots() const { return blocks * copies + 2 * pairs; }
  [[nodiscard]] Bytes block_bytes(std::uint32_t block) const {
    if (chunk > 0) return std::min(chunk, bytes - std::min(bytes, block * chunk));
    return bytes / blocks + (block < bytes % blocks);
  }
  [[nodiscard]] Bytes slot_bytes(Slot slot) const;
  /// The slot of scratch pair `pair` that fits `block`.
  [[nodiscard]] Slot scratch(std::uint32_t pair, std::uint32_t block) const;
};

/// Bytes of a participant's slot, where they are not the same for all.
using SlotSizes = std::function<Bytes(Rank participant, Slot slot)>;

/// Schedule::neighbour of a halo.
using Neighbours = std::function<Rank(Rank rank, std::uint32_t face)>;

/// The one Schedule that algorithms return.
class PhasedSchedule final : public Schedule {
 public:
  PhasedSchedule(const CollectiveCall& call, const SlotLayout& layout)
      : call_(call), layout_(layout), participants_(call.ranks) {}

  /// Appends a phase to the stream.
  void then(std::uint32_t stream, PhasePtr phase);
  void then(PhasePtr phase) { then(0, std::move(phase)); }
  /// Adds a phase that begins at a given step of stream 0; it may overlap other phases.
  void at(std::size_t first_step, PhasePtr phase) { at(0, first_step, std::move(phase)); }
  void at(std::uint32_t stream, std::size_t first_step, PhasePtr phase);
  /// Adds a phase that begins with the first step.
  void at_start(PhasePtr phase) { at(0, 0, std::move(phase)); }
  /// The ranks and the routers that take part.
  void set_participants(Rank participants) { participants_ = participants; }
  /// Sets block_count() where it differs from SlotLayout::blocks (collective.hpp).
  void set_block_count(std::uint32_t blocks) { block_count_ = blocks; }
  void set_neighbours(Neighbours neighbours) { neighbours_ = std::move(neighbours); }
  /// Instead of the layout's.
  void set_slot_sizes(SlotSizes sizes) { sizes_ = std::move(sizes); }

  [[nodiscard]] const CollectiveCall& call() const override { return call_; }
  [[nodiscard]] Rank participant_count() const override { return participants_; }
  [[nodiscard]] std::uint32_t stream_count() const override { return static_cast<std::uint32_t>(streams_.size()); }
  [[nodiscard]] std::size_t step_count(std::uint32_t stream) const override { return streams_[stream].steps; }
  [[nodiscard]] std::uint32_t block_count() const override { return block_count_ ? block_count_ : layout_.blocks; }
  [[nodiscard]] Rank neighbour(Rank rank, std::uint32_t face) const override {
    return neighbours_ ? neighbours_(rank, face) : no_id;
  }
  [[nodiscard]] Slot slot_count() const override { return layout_.slots(); }
  [[nodiscard]] Bytes slot_bytes(Rank participant, Slot slot) const override {
    return sizes_ ? sizes_(participant, slot) : layout_.slot_bytes(slot);
  }
  void actions(Rank participant, std::uint32_t stream, std::size_t step, StepActions& actions) const override;

 private:
  struct Placed {
    std::size_t first_step = 0;
    PhasePtr phase;
  };
  struct Stream {
    std::size_t steps = 0;
    std::vector<Placed> phases;
  };

  CollectiveCall call_;
  SlotLayout layout_;
  Rank participants_;
  std::uint32_t block_count_ = 0;
  SlotSizes sizes_;
  Neighbours neighbours_;
  std::vector<Stream> streams_{1};
};

/// A schedule of these phases, one after the other.
template <typename... Phases>
[[nodiscard]] std::shared_ptr<PhasedSchedule> one_by_one(const CollectiveCall& call, const SlotLayout& layout,
                                                         Phases... phases) {
  auto program = std::make_shared<PhasedSchedule>(call, layout);
  (program->then(std::move(phases)), ...);
  return program;
}

/// Runs `inner` among some of the participants, which `inner` numbers from 0; `map` translates the numbers.
template <typename Map>
class Among final : public Phase {
 public:
  /// map.member(rank): its number among them, no_id if it does not belong to them; map.rank(member): the inverse.
  Among(PhasePtr inner, Map map) : inner_(std::move(inner)), map_(std::move(map)) {}

  [[nodiscard]] std::size_t steps() const override { return inner_->steps(); }

  void add(Rank participant, std::size_t step, StepActions& actions) const override {
    const Rank member = map_.member(participant);
    if (member == no_id) return;
    const std::size_t sends = actions.sends.size();
    const std::size_t receives = actions.receives.size();
    inner_->add(member, step, actions);
    for (std::size_t i = sends; i < actions.sends.size(); ++i) actions.sends[i].peer = map_.rank(actions.sends[i].peer);
    for (std::size_t i = receives; i < actions.receives.size(); ++i) {
      actions.receives[i].peer = map_.rank(actions.receives[i].peer);
    }
  }

 private:
  PhasePtr inner_;
  Map map_;
};

template <typename Map>
[[nodiscard]] PhasePtr among(const Map& map, PhasePtr inner) {
  return std::make_unique<Among<Map>>(std::move(inner), map);
}

/// One phase from a step function, for algorithms that are one formula: function(rank, step, actions).
template <typename Function>
class FormulaPhase final : public Phase {
 public:
  FormulaPhase(std::size_t steps, Function function) : steps_(steps), function_(std::move(function)) {}
  [[nodiscard]] std::size_t steps() const override { return steps_; }
  void add(Rank rank, std::size_t step, StepActions& actions) const override { function_(rank, step, actions); }

 private:
  std::size_t steps_;
  Function function_;
};

template <typename Function>
[[nodiscard]] PhasePtr phase(std::size_t steps, Function function) {
  return std::make_unique<FormulaPhase<Function>>(steps, std::move(function));
}

/// Appends slots, to the last range if they follow it.
void append_slots(std::vector<SlotRange>& ranges, SlotRange slots);

/// Up to two ranges: `count` slots from `first` on, going round in slots base … base + n − 1.
struct CyclicRange {
  CyclicRange(Slot base, std::uint32_t n, std::uint32_t first, std::uint32_t count);
  operator std::span<const SlotRange>() const { return {ranges, 2}; }  // NOLINT: that is what it is for
  SlotRange ranges[2];
};

}  // namespace ayatori
