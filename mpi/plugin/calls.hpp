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

/// Who plays a call. `bytes` is its size as MPI counts (choice-format.md); with sizes by rank no size is known to all.
/// Nothing: the MPI does. The shape's choice is filled in here.
[[nodiscard]] std::optional<Part> part_to_play(MPI_Comm comm, MpiCall call, Bytes bytes, CallShape shape);

}  // namespace ayatori::plugin
