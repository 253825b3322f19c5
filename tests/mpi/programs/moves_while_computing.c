/* moves_while_computing MODE: rank 0 sends, and waits for it; rank 1 has posted the receive and then computes, in mode
 * "calls" with calls of MPI_Comm_rank in between, until the data are there or it has waited long enough. Rank 1 prints
 * "moved" or "stood still". */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { count = 4 << 20, tag = 5 };

/* Long enough for a thread; a message that does not move would stand still for ever. */
static int comes_while_computing(const volatile int* last, int calls) {
  const double begin = MPI_Wtime();
  const double enough = 20;
  const double without_anybody = 0.5;
  int rank = 0;
  while (*last == 0 && MPI_Wtime() < begin + (calls < 0 ? without_anybody : enough)) {
    if (calls > 0) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  }
  return *last != 0;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const char* const mode = argc > 1 ? argv[1] : "off";
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int* const data = calloc(count, sizeof *data);
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank == 0) {
    for (int i = 0; i < count; ++i) data[i] = 1;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Isend(data, count, MPI_INT, 1, tag, MPI_COMM_WORLD, &request);
  } else {
    MPI_Irecv(data, count, MPI_INT, 0, tag, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    puts(comes_while_computing(&data[count - 1], strcmp(mode, "calls") == 0 ? 1
                                                 : strcmp(mode, "off") == 0 ? -1
                                                                            : 0)
             ? "moved"
             : "stood still");
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  const int right = data[count - 1] == 1;
  free(data);
  MPI_Finalize();
  return right ? 0 : 1;
}
