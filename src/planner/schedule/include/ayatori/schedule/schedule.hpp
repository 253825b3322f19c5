#pragma once
/// \file
/// A Schedule is a collective algorithm as data: what each rank sends, receives and combines, step by step. It is
/// generated on demand, never stored: asking for one step of one rank takes memory for that step only. Three things
/// consume it: the planner counts its contention, the flow simulator times it, the MPI plug-in executes it.
///
/// How a schedule is executed
///
///   Every participant (a rank, or a router that reduces inside the network) has *slots*, numbered places of
///   slot_bytes() each, of which some may be empty. What they hold at the start and must hold at the end is the
///   collective's postcondition (collective.hpp). A participant's program is one or several *streams* that advance
///   independently of each other; a stream is a sequence of steps. In a step the participant starts all sends and
///   receives at once, waits for all of them, then does the step's local operations in their order, and goes on to the
///   next step. Streams of one participant must not touch each other's slots, except to read slots that none writes.
///   Messages from a to b on one stream match in the order in which they are posted; no participant sends to itself. A
///   send may wait for its receive (rendezvous): a schedule must not deadlock then.
///
/// Immutable and safe to read from many threads.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ayatori/base/ids.hpp"
#include "ayatori/network/step.hpp"
#include "ayatori/schedule/collective.hpp"

namespace ayatori {

/// One message: some ranges of slots, packed in this order (a derived datatype in MPI). Both ends say the same number
/// of slots, of the same sizes one by one.
struct Transfer {
  Rank peer = 0;
  std::uint32_t first_range = 0;  ///< into StepActions::ranges
  std::uint32_t range_count = 0;
};

/// Done by the participant itself after the step's messages.
struct LocalOperation {
  enum class Kind : std::uint8_t {
    copy,    ///< to = from
    reduce,  ///< to = to ∘ from, or from ∘ to: the operation commutes, and nobody else combines the same
    /// Several participants combine the same, and must get the same bits: to = to ∘ from, in this order.
    append,
    prepend,  ///< likewise, to = from ∘ to
  };
  Kind kind = Kind::copy;
  SlotRange from;
  Slot to = 0;  ///< first of as many slots
};

/// What one participant does in one step. Kept and refilled by callers, so that walking a schedule does not allocate.
struct StepActions {
  std::vector<SlotRange> ranges;
  std::vector<Transfer> sends;
  std::vector<Transfer> receives;
  std::vector<LocalOperation> locals;

  void clear();
  [[nodiscard]] bool idle() const { return sends.empty() && receives.empty() && locals.empty(); }
  /// An empty range makes an empty message, as barriers send.
  void send(Rank to, SlotRange slots) { add(sends, to, {&slots, 1}); }
  void receive(Rank from, SlotRange slots) { add(receives, from, {&slots, 1}); }
  void send(Rank to, std::span<const SlotRange> slots) { add(sends, to, slots); }
  void receive(Rank from, std::span<const SlotRange> slots) { add(receives, from, slots); }
  void copy(SlotRange from, Slot to) { locals.push_back({LocalOperation::Kind::copy, from, to}); }
  /// As its partner does with the same operands, from its side: whose operand comes first is the same on both.
  void combine_alike(SlotRange from, Slot to, bool from_first) {
    locals.push_back({from_first ? LocalOperation::Kind::prepend : LocalOperation::Kind::append, from, to});
  }
  void reduce(SlotRange from, Slot to) { locals.push_back({LocalOperation::Kind::reduce, from, to}); }

 private:
  void add(std::vector<Transfer>& transfers, Rank peer, std::span<const SlotRange> slots);
};

/// One call of a collective by one algorithm. Immutable and safe to read from many threads.
class Schedule {
 public:
  virtual ~Schedule() = default;

  /// The collective, its ranks, root and size.
  [[nodiscard]] virtual const CollectiveCall& call() const = 0;

  /// The ranks, followed by the routers that take part (in-network reduction). call().ranks if none does.
  [[nodiscard]] virtual Rank participant_count() const { return call().ranks; }
  [[nodiscard]] virtual std::uint32_t stream_count() const { return 1; }
  /// Steps of a stream, the same number for all participants; a participant may be idle in some.
  [[nodiscard]] virtual std::size_t step_count(std::uint32_t stream) const = 0;

  /// B of collective.hpp: into how many blocks one vector is cut, or of halo how many neighbours there are.
  [[nodiscard]] virtual std::uint32_t block_count() const { return 1; }

  /// Of halo: the rank that lies next to `rank` on side `face` of its grid (collective.hpp); no_id where the grid ends.
  /// A side's opposite is face ^ 1. Other collectives have no neighbours.
  [[nodiscard]] virtual Rank neighbour([[maybe_unused]] Rank rank, [[maybe_unused]] std::uint32_t face) const {
    return no_id;
  }

  /// Slots of every participant, and the bytes that one of them has there. Sizes may differ between participants
  /// (alltoallv; staging that only leaders need); both ends of a message agree.
  [[nodiscard]] virtual Slot slot_count() const = 0;
  [[nodiscard]] virtual Bytes slot_bytes(Rank participant, Slot slot) const = 0;

  /// Replaces `actions` with what the participant does in that step.
  virtual void actions(Rank participant, std::uint32_t stream, std::size_t step, StepActions& actions) const = 0;
};

using SchedulePtr = std::shared_ptr<const Schedule>;

/// Bytes that a participant has in these slots.
[[nodiscard]] Bytes bytes_in(const Schedule& schedule, Rank participant, SlotRange slots);

/// Bytes of one message of the participant whose actions these are.
[[nodiscard]] Bytes bytes_of(const Schedule& schedule, Rank participant, const StepActions& actions,
                             const Transfer& transfer);

/// What travels from one participant to another in all steps of a schedule.
struct ScheduleTotals {
  std::uint64_t messages = 0;
  Bytes bytes = 0;
};
[[nodiscard]] ScheduleTotals totals_of(const Schedule& schedule);

/// The schedule as Steps, whose contention routing counts: step i holds the messages of step i of every stream.
[[nodiscard]] std::unique_ptr<StepSequence> steps_of(SchedulePtr schedule);

}  // namespace ayatori
