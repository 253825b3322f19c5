/* Blocking messages only, and a late sender. */
#include "explained.h"

static void program(void) {
  int value = 0;
  if (rank == 1) compute();
  if (rank == 1) MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  if (rank == 0) MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
