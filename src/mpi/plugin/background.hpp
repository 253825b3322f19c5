#pragma once
/// \file
/// AYATORI_PROGRESS: moves what the program has begun and not ended while it computes, by a thread or in its calls.

#include <mpi.h>

#include "interposed_calls.h"

namespace ayatori::plugin {

/// Called in MPI_Init: replaces the functions that must be seen for it, if it is on.
void begin_background(ayatori_mpi_calls& calls);

/// Called before MPI_Finalize, and when it begins, for programs whose call of it was not seen.
void end_background();

/// The program has begun a request.
void note_begun(const MPI_Request* request);
/// It is about to end it, or has ended it.
void note_ended(MPI_Request request);

/// While this object lives, the program waits in the MPI, which moves everything meanwhile.
class InsideMpi {
 public:
  InsideMpi();
  InsideMpi(const InsideMpi&) = delete;
  InsideMpi& operator=(const InsideMpi&) = delete;
  ~InsideMpi();
};

/// By a call of the program, if that is what moves operations: not more often than every 10 µs.
void move_by_call();

}  // namespace ayatori::plugin
