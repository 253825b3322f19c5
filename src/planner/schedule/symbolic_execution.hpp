#pragma once
/// \file
/// Symbolic execution of a schedule under rendezvous semantics.

#include <functional>
#include <span>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/schedule/schedule.hpp"
#include "ayatori/schedule/verify.hpp"
#include "contributions.hpp"

namespace ayatori {

class SymbolicExecution {
 public:
  SymbolicExecution(const Schedule& schedule, const VerificationLimits& limits);

  /// Called before each reduction, with the values of its slots; `thread` is participant × streams + stream. An error
  /// ends the run.
  using WatchReduction = std::function<Result<>(std::size_t thread, std::size_t step, const LocalOperation& operation,
                                                std::span<const Value> to, std::span<const Value> from)>;
  void watch_reductions(WatchReduction watch) { watch_reduction_ = std::move(watch); }

  /// Runs to the end. Error: the first rule that is broken, with participant, stream and step; or too much work.
  [[nodiscard]] Result<> run();

  /// After run().
  [[nodiscard]] Value value(Rank participant, Slot slot) const { return values_[index(participant, slot)]; }
  [[nodiscard]] Contributions& contributions() { return contributions_; }
  /// Whether all of `participant`'s streams together have heard of `other` having begun; only kept for barriers.
  [[nodiscard]] bool has_heard(Rank participant, Rank other) const;

 private:
  /// One stream of one participant, and the step that it is in.
  struct Thread {
    std::size_t step = 0;
    StepActions actions;
    std::size_t open = 0;                     ///< messages of the step that have not met their other end
    std::vector<bool> sent;                   ///< by send: has met
    std::vector<bool> received;               ///< by receive: has met
    std::vector<std::vector<Value>> arrived;  ///< by receive
    std::vector<bool> heard;                  ///< by participant, as of the step's begin
    std::vector<bool> heard_next;
  };

  [[nodiscard]] std::size_t index(Rank participant, Slot slot) const {
    return std::size_t{participant} * slots_ + slot;
  }
  [[nodiscard]] std::size_t thread_of(Rank participant, std::uint32_t stream) const {
    return std::size_t{participant} * streams_ + stream;
  }
  [[nodiscard]] Rank participant_of(std::size_t thread) const { return static_cast<Rank>(thread / streams_); }
  [[nodiscard]] std::uint32_t stream_of(std::size_t thread) const {
    return static_cast<std::uint32_t>(thread % streams_);
  }

  void fill_slots();
  [[nodiscard]] Result<> begin_step(std::size_t thread);
  [[nodiscard]] Result<> check_step(std::size_t thread);
  [[nodiscard]] Result<> check_ranges(std::size_t thread, std::span<const Transfer> transfers, bool receiving);
  [[nodiscard]] Result<> touch(std::size_t thread, SlotRange slots, bool write);
  [[nodiscard]] Result<> post(std::size_t thread);
  [[nodiscard]] Result<> meet(std::size_t from, std::size_t send, std::size_t to, std::size_t receive);
  [[nodiscard]] Result<> end_step(std::size_t thread);
  [[nodiscard]] Result<> do_locally(std::size_t thread, const LocalOperation& operation);
  [[nodiscard]] Result<> show_reduction(std::size_t thread, const LocalOperation& operation) const;
  [[nodiscard]] Failure deadlock() const;
  [[nodiscard]] Result<> spend(std::uint64_t work);
  [[nodiscard]] std::vector<Slot> slots_in(const StepActions& actions, const Transfer& transfer) const;

  template <typename... Args>
  [[nodiscard]] Failure wrong(std::size_t thread, fmt::format_string<Args...> what, Args&&... args) const;

  const Schedule& schedule_;
  std::size_t streams_;
  Slot slots_;
  Rank participants_;
  std::uint64_t max_work_;
  std::uint64_t work_ = 0;
  bool is_barrier_;
  WatchReduction watch_reduction_;
  Contributions contributions_;
  std::vector<Value> values_;
  std::vector<Thread> threads_;
  std::vector<std::size_t> ready_;  // threads whose step has ended
  /// By slot of a participant: which stream writes it, which reads it; several_streams if more than one reads.
  std::vector<std::uint32_t> writer_;
  std::vector<std::uint32_t> reader_;
  std::vector<std::uint64_t> sent_in_;      // by slot of a participant: the last step-instance that sends it
  std::vector<std::uint64_t> received_in_;  // and that receives into it
  std::uint64_t instance_ = 0;
};

/// Error: the schedule has more slots or streams than may be followed.
[[nodiscard]] Result<> check_slot_limit(const Schedule& schedule, const VerificationLimits& limits);

}  // namespace ayatori
