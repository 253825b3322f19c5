/* A blocking and a nonblocking collective on a communicator of its own; rank 0 prints the sum of all ranks. */

#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm own;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  int rank = 0;
  int sum = 0;
  MPI_Comm_rank(own, &rank);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, own);
  MPI_Request request;
  MPI_Ibcast(&sum, 1, MPI_INT, 0, own, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_free(&own);
  if (rank == 0) printf("sum %d\n", sum);
  return MPI_Finalize();
}
