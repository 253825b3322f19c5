/* A request that is freed: when its send ends is not known, so nothing is said of it. */
#include "explained.h"

static void program(void) {
  int value = 0;
  MPI_Request request;
  if (rank == 0) {
    MPI_Isend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
  } else {
    MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  compute();
}
