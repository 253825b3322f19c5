#pragma once
/// \file
/// The short way for calls that the program has made before: with the same communicator, type, count, operation and
/// root, of which it is settled who executes them. They need no decision, no search and no memory: a call that is the
/// MPI's goes straight to it, and one that is ours straight to its compiled schedule.

#include <mpi.h>

#include "interposed_calls.h"

namespace ayatori::plugin {

class Communicator;
class CompiledCall;
class Decision;

/// Puts the short ways in front of calls that block. Not under MPI_THREAD_MULTIPLE: several threads would share what is
/// remembered.
void begin_quick_calls(struct ayatori_mpi_calls& executed);

/// Of the call that is just being made it is settled who executes it, as long as nothing is forgotten: `executed` on
/// `on`, or the MPI if it is nullptr. `by` counts its calls, and may come to be on trial again; nullptr: nobody counts.
void settle_call(Communicator* on, CompiledCall* executed, Decision* by);

/// Whether the short way has counted the call that now goes the long way.
[[nodiscard]] bool was_counted(const Decision& by);

/// What is remembered may be wrong from now on: a communicator or a compiled call is gone.
void forget_quick_calls();

}  // namespace ayatori::plugin
