/* The others wait for a broadcast's root. */
#include "explained.h"

static void program(void) {
  int value = rank;
  MPI_Request request;
  if (rank == 0) compute();
  MPI_Ibcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
