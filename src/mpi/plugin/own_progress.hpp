#pragma once
/// \file
/// How executions that do not block go on while the program is anywhere in the MPI: also in MPI_Recv, or in Fortran's
/// PMPI_Wait, which no wrapper sees. MPI demands it (MPI 3.1, section 3.5: a call of one process may depend on what
/// another one has begun).

#include <dlfcn.h>

#include <cstring>

namespace ayatori::plugin {

/// A function that the process may have; nullptr if it has not.
template <typename Function>
[[nodiscard]] Function* own_function(const char* name) {
  void* const found = dlsym(RTLD_DEFAULT, name);
  Function* function = nullptr;
  std::memcpy(&function, &found, sizeof found);
  return function;
}

/// Called in MPI_Init, and when MPI_Finalize begins.
void begin_progress();
void end_progress();

/// One poll of the MPI for all operations of this process, ours included. Safe for concurrent use as far as the
/// MPI is.
void let_mpi_progress();

/// Lets the MPI advance process().outstanding whenever it makes progress itself: Open MPI by the function that it has
/// for its own non-blocking collectives (opal_progress_register), MPICH over UCX by what it calls to make progress
/// (ucp_worker_progress). Collective over MPI_COMM_WORLD. False if that can't be done somewhere, as was tried.
[[nodiscard]] bool join_progress_of_mpi();

}  // namespace ayatori::plugin
