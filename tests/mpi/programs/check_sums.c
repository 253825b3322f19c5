/* Sums that round: each of two ranks has the bits that it computes by itself, whoever executes it. "right" on rank 0 if
 * all were, and all ranks got the same.
 *
 *     check_sums CALLS
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { count = 100 };

/* What a rank adds in call `i`: numbers of all magnitudes and both signs, among them zeros. */
static double element(int rank, int i, int at) {
  const unsigned mixed = 2654435761u * (unsigned)(977 * i + 31 * at + rank + 1);
  if (mixed % 13 == 0) return mixed % 2 ? 0.0 : -0.0;
  return ldexp((mixed >> 7) - 16000000.5, (int)(mixed % 120) - 60);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, wrong = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < atoi(argv[1]); ++i) {
    double mine[count], sums[count], of_rank_0[count];
    for (int at = 0; at < count; ++at) mine[at] = element(rank, i, at);
    MPI_Allreduce(mine, sums, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    memcpy(of_rank_0, sums, sizeof sums);
    MPI_Bcast(of_rank_0, sizeof sums, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (memcmp(of_rank_0, sums, sizeof sums) != 0) wrong = 1;
    for (int at = 0; at < count && ranks == 2; ++at) {
      const double expected = element(0, i, at) + element(1, i, at);
      if (memcmp(&expected, &sums[at], sizeof expected) != 0) wrong = 1;
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) puts(wrong ? "wrong" : "right");
  MPI_Finalize();
  return 0;
}
