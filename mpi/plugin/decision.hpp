#pragma once
/// \file
/// Who plays the calls of one kind and about one size on a communicator: what the user forces, else what the first
/// calls show to be the fastest.

#include <optional>
#include <vector>

#include "ayatori/tuning/candidates.hpp"
#include "ayatori/tuning/trial.hpp"
#include "process.hpp"

namespace ayatori::plugin {

class Decision {
 public:
  /// `exact`: the result does not depend on who plays, bit by bit.
  Decision(MpiCall call, Bytes bytes, bool exact, const Places& places);

  /// Who plays the next call; nullptr: the MPI.
  [[nodiscard]] const ForcedChoice* next() const;

  [[nodiscard]] bool on_trial() const { return trial_.has_value(); }
  /// Takes a choice out that can't be played. The same on all ranks.
  void drop(const ForcedChoice& choice);
  /// The call that next() was about took so long. Collective on `own` after the first calls, and when
  /// the trial ends.
  void note(double seconds, MPI_Comm own);

 private:
  void explain_outcome(const std::vector<double>& seconds, std::size_t best) const;

  MpiCall call_;
  Bytes bytes_;
  std::vector<ForcedChoice> ways_;  ///< the first is the MPI's own, without an algorithm
  std::optional<Trial> trial_;
  std::size_t settled_ = 0;  ///< number in ways_
};

}  // namespace ayatori::plugin
