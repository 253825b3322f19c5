/* Rank 0 waits for a message whose sender is late. */
#include "explained.h"

static void program(void) {
  int value = 0;
  MPI_Request request;
  if (rank == 0) {
    MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    compute();
    MPI_Isend(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}
