/* Each rank sends to all others, and says where it is. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { BYTES = 4096, ROUNDS = 4 };

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  char *const from = calloc((size_t)ranks, BYTES), *const to = calloc((size_t)ranks, BYTES);
  for (int round = 0; round < ROUNDS; ++round)
    MPI_Alltoall(from, BYTES, MPI_CHAR, to, BYTES, MPI_CHAR, MPI_COMM_WORLD);
  char host[256];
  gethostname(host, sizeof host);
  printf("rank %d on %s\n", rank, host);
  fflush(stdout);
  MPI_Barrier(MPI_COMM_WORLD);
#ifdef MPICH_VERSION
  _exit(0); /* 4.0 may wait in MPI_Finalize for ever where UCX carries messages between hosts */
#endif
  free(from);
  free(to);
  MPI_Finalize();
  return 0;
}
