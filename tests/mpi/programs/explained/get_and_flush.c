/* A get that a flush completes; both compute meanwhile. */
#include "explained.h"

static void program(void) {
  int value = 0, *memory;
  MPI_Win window;
  MPI_Win_allocate(sizeof value, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  MPI_Win_lock(MPI_LOCK_SHARED, other, 0, window);
  MPI_Get(&value, 1, MPI_INT, other, 0, 1, MPI_INT, window);
  compute();
  MPI_Win_flush(other, window);
  MPI_Win_unlock(other, window);
  MPI_Win_free(&window);
}
