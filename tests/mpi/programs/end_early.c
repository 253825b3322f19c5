/* end_early: rank 1 ends between two collectives, without a word. With an argument: rank 1 is killed. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank = 0;
  int value = 1;
  int sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 1) raise(argc > 1 ? SIGKILL : SIGTERM);
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  printf("rank %d went on\n", rank);
  MPI_Finalize();
  return 0;
}
