#pragma once
/// \file
/// An algorithm whose steps are written out: what each participant does in each step, for one number of ranks and one
/// root. Algorithms of others are kept like this, whether they come from a file or from a shared library.
///
/// Steps name slots, not bytes, so one written algorithm makes schedules for many sizes. For this it says of each
/// scratch slot how large it is: as large as a certain block of the vector, or as what one rank has for another.

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/schedule/algorithms.hpp"
#include "ayatori/schedule/schedule.hpp"
#include "ayatori/schedule/verify.hpp"

namespace ayatori {

/// What a written algorithm may take: schedules of others can be hostile, and are verified before they are used. An
/// alltoall among 1024 ranks has as many slots.
inline constexpr VerificationLimits written_limits{.slots = std::uint64_t{1} << 21, .work = std::uint64_t{1} << 26};
inline constexpr std::uint32_t max_written_streams = 64;
/// Steps, messages, ranges of slots and local operations together; each takes at most 20 bytes.
inline constexpr std::uint64_t max_written_entries = std::uint64_t{1} << 24;

/// What an algorithm is for, and which slots it has.
struct WrittenHead {
  Collective collective = Collective::barrier;
  Rank ranks = 1;
  Rank root = 0;          ///< of broadcast, reduce, gather and scatter
  Rank participants = 1;  ///< the ranks, followed by the routers that take part
  std::uint32_t streams = 1;
  /// B of collective.hpp: the blocks of one vector (broadcast, reduce, allreduce), or the neighbours of each rank
  /// (halo). 1 for all others.
  std::uint32_t blocks = 1;
  /// A scratch slot each, numbered after the collective's own slots. Of broadcast, reduce and allreduce: the block that
  /// it is as large as. Of others 0: a scratch slot is as large as any slot. alltoallv and barrier have none.
  std::vector<std::uint32_t> scratch;
  /// Of halo: Schedule::neighbour by rank and side, `blocks` sides a rank.
  std::vector<Rank> neighbours;

  /// The collective's own slots, which the scratch slots follow.
  [[nodiscard]] std::uint64_t own_slots() const;
  [[nodiscard]] bool cuts_one_vector() const;

  friend bool operator==(const WrittenHead&, const WrittenHead&) = default;
};

/// The sizes that an algorithm is right for, in bytes (or elements, where a runner counts in elements).
struct WrittenSizes {
  Bytes from = 0;
  std::optional<Bytes> to;  ///< the last one; nothing: no end
  Bytes multiple_of = 1;

  [[nodiscard]] bool admit(Bytes bytes) const;
  friend bool operator==(const WrittenSizes&, const WrittenSizes&) = default;
};

/// Immutable; safe to read from many threads.
class WrittenAlgorithm {
 public:
  [[nodiscard]] const WrittenHead& head() const { return head_; }
  /// Steps of a stream, the longest of all participants.
  [[nodiscard]] std::size_t step_count(std::uint32_t stream) const { return step_counts_[stream]; }
  /// Replaces `actions` with what the participant does in that step; nothing after its own last step.
  void actions(Rank participant, std::uint32_t stream, std::size_t step, StepActions& actions) const;
  /// Whether the participant uses this scratch slot or a later one: the others take no memory there.
  [[nodiscard]] bool reaches(Rank participant, Slot slot) const { return slot < slots_used_[participant]; }

 private:
  friend class AlgorithmWriter;

  /// Where the entries of one step begin; they end where those of the next step that was written begin.
  struct StepBegin {
    std::uint32_t range = 0;
    std::uint32_t send = 0;
    std::uint32_t receive = 0;
    std::uint32_t local = 0;
  };

  [[nodiscard]] StepBegin here() const;

  WrittenHead head_;
  std::vector<std::vector<std::uint32_t>> steps_;  // by participant · streams + stream: numbers of its steps
  std::vector<std::size_t> step_counts_;           // by stream
  std::vector<StepBegin> begins_;                  // by number of a step, and the end
  std::vector<SlotRange> ranges_;
  std::vector<Transfer> sends_;  // ranges count from those of the step
  std::vector<Transfer> receives_;
  std::vector<LocalOperation> locals_;
  std::vector<Slot> slots_used_;  // by participant: one more than the last slot that it names
};

/// Writes an algorithm step by step. Only sizes are checked here; verify_written() tells whether the algorithm is
/// right.
class AlgorithmWriter {
 public:
  /// Errors: no ranks, or more than max_ranks; a root that is not a rank; fewer participants than ranks; streams,
  /// blocks, scratch slots or neighbours that cannot be, or more slots than written_limits allows.
  [[nodiscard]] static Result<AlgorithmWriter> begin(WrittenHead head);

  /// Begins the next step of a stream of a participant; what follows belongs to it. Errors: no such participant or
  /// stream; more than max_written_entries, as for all below.
  [[nodiscard]] Result<> step(Rank participant, std::uint32_t stream);
  /// Adds a message to the step. Errors: no step was begun; slots that there are not.
  [[nodiscard]] Result<> send(Rank to, std::span<const SlotRange> slots);
  [[nodiscard]] Result<> receive(Rank from, std::span<const SlotRange> slots);
  /// Adds slots to the message that was added last. Error: there is none in this step.
  [[nodiscard]] Result<> append(SlotRange slots);
  /// Adds a local operation to the step. Errors: those of send().
  [[nodiscard]] Result<> local(const LocalOperation& operation);

  /// Ends the writing; the writer must not be used any more.
  [[nodiscard]] std::shared_ptr<const WrittenAlgorithm> finish();

 private:
  explicit AlgorithmWriter(WrittenHead head);

  [[nodiscard]] Result<> message(std::vector<Transfer> WrittenAlgorithm::* transfers, Rank peer,
                                 std::span<const SlotRange> slots);
  [[nodiscard]] Result<> use(SlotRange slots);
  [[nodiscard]] Result<> count_entries(std::uint64_t entries);

  WrittenAlgorithm algorithm_;
  std::uint64_t slots_ = 0;
  std::uint64_t entries_ = 0;
  Rank participant_ = no_id;                                             // whose step was begun last
  std::vector<Transfer> WrittenAlgorithm::* last_message_in_ = nullptr;  // of this step
};

/// The schedule of one call. `pair_sizes` are those of an alltoallv. It is right if `sizes.admit(call.bytes)` for sizes
/// that verify_written() has found right. Errors: a call of another collective, number of ranks or root; pair sizes of
/// another number of ranks, or that cannot be counted.
[[nodiscard]] Result<SchedulePtr> schedule_of(std::shared_ptr<const WrittenAlgorithm> algorithm, CollectiveCall call,
                                              const PairSizes& pair_sizes = {});

/// Proves that schedules of all of these sizes fulfil the collective's postcondition. Whether two slots are equally
/// large depends on the size of the vector only if one vector is cut into blocks. Then the proof takes blocks of which
/// no two are equally large (any size), or all are (multiples of their number), or those of the one size that there is.
///
/// Errors: those of verify() with written_limits.
[[nodiscard]] Result<> verify_written(std::shared_ptr<const WrittenAlgorithm> algorithm, const WrittenSizes& sizes);

/// An algorithm, and the sizes that it is right for.
struct WrittenWithSizes {
  std::shared_ptr<const WrittenAlgorithm> algorithm;
  WrittenSizes sizes;
};

/// Writes a schedule out: its steps, and as many sizes as they are right for, at least that of its call. Errors: more
/// than the limits above; blocks that are not as equal as can be; a scratch slot that is as large as no
/// block, or not the same at all participants; a
/// schedule that is not right.
[[nodiscard]] Result<WrittenWithSizes> written_out(const Schedule& schedule);

}  // namespace ayatori
