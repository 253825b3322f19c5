#pragma once
/// \file
/// Who executes a call, remembered by all on which that depends: the next such call needs no decision.

#include <mpi.h>

#include "ayatori/tuning/mpi_call.hpp"
#include "compiled_call.hpp"

namespace ayatori::plugin {

class Communicator;

/// Of a call that blocks. The shape's choice does not count.
struct CallKey {
  MPI_Comm comm = MPI_COMM_NULL;
  MpiCall call = MpiCall::barrier;
  Rank root = 0;
  Bytes bytes = 0;
  Bytes elements = 0;
  Bytes element_bytes = 0;
  bool by_slot = false;
  bool in_rank_order = false;
  bool exact = true;

  friend bool operator==(const CallKey&, const CallKey&) = default;
};

/// Who executes the calls of `key`; nullptr: not known. Otherwise it points to the call of ours, or to nullptr: the
/// MPI.
[[nodiscard]] CompiledCall* const* find_cached_call(const CallKey& key);
/// In this thread, until the cache is cleared.
void cache_call(const CallKey& key, CompiledCall* call);

/// Clears the cache of all threads: a communicator or a compiled call is gone, or who executes has changed.
void forget_cached_calls();

}  // namespace ayatori::plugin
