/* Broadcasts of 64 KiB, as often as the first argument says. "right" if each rank got what the root sent.
 *
 *     check_vetoed CALLS
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { count = 16384 };

int main(int argc, char** argv) {
  static int values[count];
  int rank, wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < atoi(argv[1]); ++i) {
    for (int at = 0; at < count; ++at) values[at] = rank == 0 ? i + at : -1;
    MPI_Bcast(values, count, MPI_INT, 0, MPI_COMM_WORLD);
    for (int at = 0; at < count; ++at) wrong |= values[at] != i + at;
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) puts(wrong ? "wrong" : "right");
  MPI_Finalize();
  return 0;
}
