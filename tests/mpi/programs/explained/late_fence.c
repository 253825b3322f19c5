/* A put's fence waits for a rank that is late. */
#include "explained.h"

static void program(void) {
  int value = rank, *memory;
  MPI_Win window;
  MPI_Win_allocate(sizeof value, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  MPI_Win_fence(0, window);
  if (rank == 0) MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
  if (rank == 1) compute();
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
}
