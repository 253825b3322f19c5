/* The others wait in an allreduce for rank 1. */
#include "explained.h"

static void program(void) {
  double sent = rank, sum;
  MPI_Request request;
  if (rank == 1) compute();
  MPI_Iallreduce(&sent, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
