/* Between begin and Wait, rank 0 makes a communicator with a late rank. */
#include "explained.h"

static void program(void) {
  int value = 0;
  MPI_Comm copy;
  MPI_Request request;
  if (rank == 0) MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
  if (rank == 1) compute();
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  if (rank == 1) MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  if (rank == 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_free(&copy);
}
