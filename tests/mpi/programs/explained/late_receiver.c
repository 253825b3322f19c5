/* Rank 0 waits for the receiver of a synchronous send. */
#include "explained.h"

static void program(void) {
  int value = 0;
  MPI_Request request;
  if (rank == 0) {
    MPI_Issend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    compute();
    MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}
