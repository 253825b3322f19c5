/* many_communicators N: collectives on MPI_COMM_WORLD and on N duplicates of it. Rank 0 prints, in bytes as the kernel
 * counts them, what it has of its own before the first collective, after those on MPI_COMM_WORLD, and after all. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Memory without a file, and memory that is shared: code and constants are in files. */
static long own_bytes(void) {
  FILE* const status = fopen("/proc/self/status", "r");
  char line[256];
  long kib = 0;
  while (status != NULL && fgets(line, sizeof line, status) != NULL) {
    if (strncmp(line, "RssAnon:", 8) == 0 || strncmp(line, "RssShmem:", 9) == 0) kib += atol(strchr(line, ':') + 1);
  }
  if (status != NULL) fclose(status);
  return kib * 1024;
}

static void use(MPI_Comm comm) {
  int value = 1, sum = 0;
  for (int turn = 0; turn < 3; ++turn) {
    MPI_Bcast(&value, 1, MPI_INT, 0, comm);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
    MPI_Barrier(comm);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int count = argc > 1 ? atoi(argv[1]) : 0;
  MPI_Comm* const all = malloc(sizeof *all * (size_t)(count + 1));
  memset(all, 0, sizeof *all * (size_t)(count + 1));
  const long before = own_bytes();
  use(MPI_COMM_WORLD);
  const long after_first = own_bytes();
  for (int i = 0; i < count; ++i) {
    MPI_Comm_dup(MPI_COMM_WORLD, &all[i]);
    use(all[i]);
  }
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) printf("%ld %ld %ld\n", before, after_first, own_bytes());
  for (int i = 0; i < count; ++i) MPI_Comm_free(&all[i]);
  free(all);
  MPI_Finalize();
  return 0;
}
