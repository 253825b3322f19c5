/* many_communicators N: collectives of all sizes on MPI_COMM_WORLD, and small ones on N duplicates of it. Rank 0
 * prints, in bytes as the kernel counts them, what it has before the first collective, and after those on
 * MPI_COMM_WORLD. Then, as malloc counts what is in use, what it has before the second half of the duplicates, and
 * after it. */

#include <malloc.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Memory without a file, and this process's share of memory that is shared: code and constants are in files. */
static long own_bytes(void) {
  malloc_trim(0); /* what is free does not count */
  MPI_Barrier(MPI_COMM_WORLD);
  FILE* const status = fopen("/proc/self/smaps_rollup", "r");
  char line[256];
  long kib = 0;
  while (status != NULL && fgets(line, sizeof line, status) != NULL) {
    if (strncmp(line, "Pss_Anon:", 9) == 0 || strncmp(line, "Pss_Shmem:", 10) == 0) kib += atol(strchr(line, ':') + 1);
  }
  if (status != NULL) fclose(status);
  return kib * 1024;
}

/* Without pages: how many of them free lists of the MPI touch depends on how far ahead other ranks are. */
static size_t heap_bytes(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  const struct mallinfo2 counted = mallinfo2();
  return counted.uordblks + counted.hblkhd;
}

static void use(MPI_Comm comm) {
  int value = 1, sum = 0;
  for (int turn = 0; turn < 3; ++turn) {
    MPI_Bcast(&value, 1, MPI_INT, 0, comm);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
    MPI_Barrier(comm);
  }
}

/* More algorithms and sizes than fit into what is kept of them. */
static void use_all_sizes(MPI_Comm comm) {
  enum { most = 1 << 20 };
  char* const data = calloc(2, most);
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  for (int bytes = 4 * ranks; bytes <= most; bytes *= 2) {
    for (int root = 0; root < ranks; ++root) {
      MPI_Bcast(data, bytes, MPI_CHAR, root, comm);
      MPI_Reduce(data, data + most, bytes / 4, MPI_INT, MPI_SUM, root, comm);
      MPI_Gather(data, bytes / ranks, MPI_CHAR, data + most, bytes / ranks, MPI_CHAR, root, comm);
    }
    MPI_Allreduce(data, data + most, bytes / 4, MPI_INT, MPI_SUM, comm);
    MPI_Alltoall(data, bytes / ranks, MPI_CHAR, data + most, bytes / ranks, MPI_CHAR, comm);
    MPI_Allgather(data, bytes / ranks, MPI_CHAR, data + most, bytes / ranks, MPI_CHAR, comm);
  }
  free(data);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int count = argc > 1 ? atoi(argv[1]) : 0;
  MPI_Comm* const all = malloc(sizeof *all * (size_t)(count + 1));
  memset(all, 0, sizeof *all * (size_t)(count + 1));
  const long before = own_bytes();
  use(MPI_COMM_WORLD);
  use_all_sizes(MPI_COMM_WORLD);
  const long after_first = own_bytes();
  size_t before_half = 0;
  for (int i = 0; i < count; ++i) {
    if (i == count / 2) before_half = heap_bytes();
    MPI_Comm_dup(MPI_COMM_WORLD, &all[i]);
    use(all[i]);
  }
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const size_t after_half = heap_bytes();
  if (rank == 0) printf("%ld %ld %zu %zu\n", before, after_first, before_half, after_half);
  for (int i = 0; i < count; ++i) MPI_Comm_free(&all[i]);
  free(all);
  MPI_Finalize();
  return 0;
}
