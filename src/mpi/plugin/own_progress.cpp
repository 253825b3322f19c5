#include "own_progress.hpp"

#include <mpi.h>

#include <atomic>

#include "process.hpp"

namespace ayatori::plugin {

namespace {

/// A test of it makes the MPI poll everything: MPI_Iprobe on MPI_COMM_SELF does not in MPICH, and on another
/// communicator not in Open MPI if a message of the program is waiting there.
MPI_Request never_over = MPI_REQUEST_NULL;

std::atomic<bool> called{false};

/// What the MPI calls. Returns how much happened.
int advance() {
  called.store(true, std::memory_order_relaxed);
  return static_cast<int>(process().outstanding.advance());
}

using Advance = int();

#ifdef OPEN_MPI

bool join() {
  auto* const join_progress = own_function<int(Advance*)>("opal_progress_register");
  return join_progress != nullptr && join_progress(&advance) == 0;
}

void leave() {
  if (auto* const leave_progress = own_function<int(Advance*)>("opal_progress_unregister")) leave_progress(&advance);
}

#else

/// With several threads MPICH holds a lock where we are called, and does not take it twice.
bool join() {
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  auto* const join_progress = own_function<void(Advance*)>("ayatori_mpi_join_ucx_progress");
  if (join_progress == nullptr || level == MPI_THREAD_MULTIPLE) return false;
  join_progress(&advance);
  return true;
}

void leave() {
  if (auto* const join_progress = own_function<void(Advance*)>("ayatori_mpi_join_ucx_progress")) join_progress(nullptr);
}

#endif

bool is_called_by_the_mpi() {
  constexpr int enough_polls = 64;
  called = false;
  for (int i = 0; i < enough_polls && !called; ++i) let_mpi_progress();
  return called;
}

}  // namespace

void begin_progress() {
  const auto query = [](void*, MPI_Status*) { return MPI_SUCCESS; };
  const auto free = [](void*) { return MPI_SUCCESS; };
  const auto cancel = [](void*, int) { return MPI_SUCCESS; };
  PMPI_Grequest_start(query, free, cancel, nullptr, &never_over);
}

void end_progress() {
  leave();
  if (never_over == MPI_REQUEST_NULL) return;
  PMPI_Grequest_complete(never_over);
  PMPI_Wait(&never_over, MPI_STATUS_IGNORE);
}

void let_mpi_progress() {
  int is_over = 0;
  PMPI_Request_get_status(never_over, &is_over, MPI_STATUS_IGNORE);
}

bool join_progress_of_mpi() {
  int joined = join() && is_called_by_the_mpi() ? 1 : 0;
  PMPI_Allreduce(MPI_IN_PLACE, &joined, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (joined == 0) leave();
  return joined == 1;
}

}  // namespace ayatori::plugin
