#pragma once
/// \file
/// The fast path: a cache of calls that the program has made before, by communicator, type, count, operation and root.
/// A cached call needs no decision, no search and no memory. It goes straight to the MPI, or to its compiled schedule.

#include <mpi.h>

#include "interposed_calls.h"

namespace ayatori::plugin {

class Communicator;
class CompiledCall;
class Decision;

/// Puts the fast path in front of blocking calls. Not under MPI_THREAD_MULTIPLE: several threads would share the cache.
void begin_cached_calls(struct ayatori_mpi_calls& executed);

/// The executor of the current call is decided, until the cache is cleared: `executed` on `on`, or the MPI if it is
/// nullptr. `by` counts its calls, and may begin a trial again; nullptr: they are not counted.
void note_executor(Communicator* on, CompiledCall* executed, Decision* by);

/// Whether the fast path has counted the call that is now on the slow path.
[[nodiscard]] bool was_counted(const Decision& by);

/// Clears the cache: a communicator or a compiled call is gone.
void forget_cached_calls();

}  // namespace ayatori::plugin
