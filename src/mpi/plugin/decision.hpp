#pragma once
/// \file
/// Decides who executes the calls of one kind and about one size on a communicator: the candidate that the user forces,
/// or the fastest one in a trial. Trials are repeated, so that a choice made on a busy machine does not stay.

#include <optional>
#include <vector>

#include "ayatori/tuning/trial.hpp"
#include "process.hpp"

namespace ayatori::plugin {

/// The candidates, the incumbent and the trial of such calls. All ranks hold one and decide alike. Not safe for
/// concurrent use.
class Decision {
 public:
  /// `exact`: the result does not depend on who executes: only then may the times of this run decide that. `apart`: the
  /// MPI's own would take networks that are not for collectives (Process::mpi_is_elsewhere); it is then executed only
  /// where nothing of ours can be.
  Decision(MpiCall call, Bytes bytes, bool exact, bool apart, Rank ranks);

  /// Whether prepare() is to be called before the first call, rather than before a trial.
  [[nodiscard]] bool begins_apart() const { return apart_ && undecided_; }
  /// Finds what is worth a trial, if there is to be one now, or what runs instead of the MPI; before next() is
  /// obeyed. The ranks of `comm`, which has the call, have `placement`, and all of them call it when one does; `rank`
  /// is ours.
  void prepare(const Placement& placement, MPI_Comm comm, Rank rank);
  [[nodiscard]] bool is_prepared() const { return !undecided_; }

  /// Counts a call, before anything else is asked of it; each rank counts each call once. True: it is on trial.
  bool count() {
    if (!on_trial_ && --calls_until_trial_ == 0) go_on_trial();
    return on_trial_;
  }

  /// Who executes the next call; nullptr: the MPI.
  [[nodiscard]] const ForcedChoice* next() const;

  /// Or timed before the trial.
  [[nodiscard]] bool on_trial() const { return on_trial_; }
  /// Takes a choice out that can't be executed. The same on all ranks.
  void drop(const ForcedChoice& choice);
  /// The call that next() was about took so long. Collective on `comm` where times are compared.
  void note(double seconds, MPI_Comm comm);

 private:
  [[nodiscard]] bool may_differ(const ForcedChoice& choice, bool exact) const;
  void leave_out_the_mpi();
  void begin_trial();
  void go_on_trial();
  void note_before_trial(double seconds, MPI_Comm comm);
  void end_trial();
  void explain_outcome(const std::vector<double>& seconds, bool is_first) const;

  MpiCall call_;
  Bytes bytes_;
  bool apart_;
  std::vector<ForcedChoice> candidates_;  ///< the first is the MPI's own, without an algorithm, unless it is left out
  std::optional<CallsBeforeTrial> before_;
  std::optional<Trial> trial_;
  std::size_t incumbent_ = 0;  ///< index in candidates_
  bool undecided_ = false;     ///< there is to be a first trial, or a choice without the MPI's own
  bool may_try_ = false;       ///< the times of calls may decide
  bool on_trial_ = false;      ///< and neither a pause nor only to come
  bool spins_ = false;         ///< ranks did on cores that they share, before the first trial
  std::uint64_t trials_ = 0;
  std::uint64_t calls_until_trial_ = 0;  ///< or until it goes on; 0: none comes
  std::uint64_t calls_before_trial_ = 0;
};

}  // namespace ayatori::plugin
