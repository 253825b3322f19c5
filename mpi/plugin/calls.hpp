#pragma once
/// \file
/// The MPI functions as the plug-in plays them. Each decides whether the call is one to play, alike on all ranks, and
/// hands it to the MPI otherwise.

#include <optional>

#include "communicator.hpp"
#include "interposed_calls.h"
#include "process.hpp"

namespace ayatori::plugin {

#define AYATORI_DECLARE(name, parameters, arguments) int name parameters;
AYATORI_MPI_CALLS(AYATORI_DECLARE)
#undef AYATORI_DECLARE

/// A call that is to be played, on a communicator that is prepared for it.
struct Part {
  Communicator& on;
  CompiledCall& call;
};

[[nodiscard]] inline int outcome(const Part& part, const Result<>& played) {
  return played ? MPI_SUCCESS : part.on.give_up(played.error());
}

/// One call from its decision to its end: who plays it, and how long it took if that is to be known.
class Turn {
 public:
  /// `bytes` is the call's size as MPI counts (choice-format.md); with sizes by rank no size is known to all. `exact`:
  /// the result does not depend on who plays. The shape's choice is filled in here.
  Turn(MPI_Comm comm, MpiCall call, Bytes bytes, CallShape shape, bool exact = true);
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  /// The call is over, whoever played it.
  ~Turn();

  /// False: the MPI plays it.
  explicit operator bool() const { return part_.has_value(); }
  const Part* operator->() const { return &*part_; }
  const Part& operator*() const { return *part_; }

 private:
  bool take_from_table(MpiCall call, Bytes bytes, const CallShape& shape);

  Communicator* on_ = nullptr;
  Decision* decision_ = nullptr;  ///< on trial
  std::optional<Part> part_;
  double begin_ = 0;
};

}  // namespace ayatori::plugin
