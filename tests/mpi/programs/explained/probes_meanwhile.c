/* Between begin and Wait, rank 0 looks for another message, and computes nothing. */
#include "explained.h"

static void program(void) {
  int a = 0, b = 0;
  if (rank == 0) {
    MPI_Request request;
    int found = 0;
    MPI_Irecv(&a, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    while (!found) MPI_Iprobe(1, 1, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    MPI_Recv(&b, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    compute();
    MPI_Send(&a, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Send(&b, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
  }
}
