/* Puts and accumulates with requests, within one epoch of all. */
#include "explained.h"

static void program(void) {
  int value = rank, *memory;
  MPI_Request requests[2];
  MPI_Win window;
  MPI_Win_allocate(2 * sizeof value, sizeof value, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  MPI_Win_lock_all(0, window);
  MPI_Rput(&value, 1, MPI_INT, other, 0, 1, MPI_INT, window, &requests[0]);
  MPI_Raccumulate(&value, 1, MPI_INT, other, 1, 1, MPI_INT, MPI_SUM, window, &requests[1]);
  compute();
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
}
