/* As LAMMPS: a receive is posted, a blocking send follows, then Wait. The send waits for its receiver. */
#include "explained.h"

static void program(void) {
  int sent = rank, received;
  MPI_Request request;
  if (rank == 0) {
    MPI_Irecv(&received, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    MPI_Ssend(&sent, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    compute();
    MPI_Send(&sent, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Recv(&received, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}
