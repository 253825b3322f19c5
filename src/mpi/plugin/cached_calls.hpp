#pragma once
/// \file
/// Who executes a call, remembered by all on which that depends: the next such call needs no decision and no search.

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

struct CachedCall {
  CallKey key;
  std::uint64_t epoch = 0;
  CompiledCall* call = nullptr;  ///< nullptr: the MPI executes it
};

/// Of this thread: the call of `key`, or the place for it; is_cached() says which.
[[nodiscard]] CachedCall& cached_call(const CallKey& key);
[[nodiscard]] bool is_cached(const CachedCall& place, const CallKey& key);
void cache_call(CachedCall& place, const CallKey& key, CompiledCall* call);

/// Clears the cache of all threads: a communicator or a compiled call is gone, or who executes has changed.
void forget_cached_calls();

}  // namespace ayatori::plugin
