/* Messages of several sizes around a ring of MPI's processes, so that each protocol of the MPI is used. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static char pattern(int rank, int round, int i) { return (char)(rank + 3 * round + i); }

/* Whether what came from the rank before is what that rank sent. */
static int pass_on(int rank, int ranks, int bytes, int round) {
  const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  char *out = malloc((size_t)bytes), *in = malloc((size_t)bytes);
  int good = 1;
  for (int i = 0; i < bytes; ++i) out[i] = pattern(rank, round, i);
  MPI_Sendrecv(out, bytes, MPI_CHAR, next, 0, in, bytes, MPI_CHAR, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < bytes; ++i) good &= in[i] == pattern(before, round, i);
  free(out);
  free(in);
  return good;
}

int main(int argc, char **argv) {
  const int sizes[] = {1, 1000, 9000, 200000};
  int rank, ranks, good = 1, all;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int round = 0; round < 20; ++round) good &= pass_on(rank, ranks, sizes[round % 4], round);
  MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (rank == 0) printf("ring of %d: %s\n", ranks, all ? "good" : "bad");
  MPI_Finalize();
  return !all;
}
