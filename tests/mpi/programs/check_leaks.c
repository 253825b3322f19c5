/* check_leaks TIMES: duplicates MPI_COMM_WORLD, calls collectives and one that does not block on the duplicate and
 * frees it, TIMES times. Rank 0 prints by how many bytes its memory grew after the first tenth, as the kernel counts
 * it. */

#include <malloc.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long own_bytes(void) {
  malloc_trim(0); /* what is free does not count */
  FILE* const status = fopen("/proc/self/status", "r");
  char line[256];
  long kib = 0;
  while (status != NULL && fgets(line, sizeof line, status) != NULL) {
    if (strncmp(line, "RssAnon:", 8) == 0) kib = atol(line + 8);
  }
  if (status != NULL) fclose(status);
  return kib * 1024;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int times = argc > 1 ? atoi(argv[1]) : 1000;
  long at_first = 0;
  for (int i = 0; i < times; ++i) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    int value = i, sum = 0, ranks = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm_size(comm, &ranks);
    MPI_Ibcast(&value, 1, MPI_INT, 0, comm, &request);
    MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (sum != ranks * i || value != i) MPI_Abort(MPI_COMM_WORLD, 3);
    MPI_Comm_free(&comm);
    if (i == times / 10) at_first = own_bytes();
  }
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) printf("%ld\n", own_bytes() - at_first);
  MPI_Finalize();
  return 0;
}
