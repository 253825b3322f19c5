/* A broadcast of 2^31 + 8 bytes between two ranks, given as bytes by its root and as words by the other. Prints "right"
 * on rank 0; any other end is a failure. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  const uint64_t words = (UINT64_C(1) << 28) + 1;
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  uint64_t* const data = calloc(words, sizeof *data);
  if (data == NULL) MPI_Abort(MPI_COMM_WORLD, 4);
  if (rank == 1) {
    for (uint64_t i = 0; i < words; ++i) data[i] = i * 0x9E3779B97F4A7C15;
    MPI_Bcast_c(data, (MPI_Count)(words * sizeof *data), MPI_BYTE, 1, MPI_COMM_WORLD);
  } else {
    MPI_Bcast(data, (int)words, MPI_UINT64_T, 1, MPI_COMM_WORLD);
  }
  for (uint64_t i = 0; i < words; ++i) {
    if (data[i] != i * 0x9E3779B97F4A7C15) MPI_Abort(MPI_COMM_WORLD, 3);
  }
  if (rank == 0) puts("right");
  free(data);
  MPI_Finalize();
  return 0;
}
