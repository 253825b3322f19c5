/* waits_for_the_dead: rank 1 kills itself while rank 0, whose errors return, waits for it in a barrier. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) raise(SIGKILL);
  const int code = MPI_Barrier(MPI_COMM_WORLD);
  printf("rank %d: the barrier %s\n", rank, code == MPI_SUCCESS ? "succeeded" : "failed");
  fflush(stdout);
  _exit(0); /* MPI_Finalize might wait for rank 1 */
}
