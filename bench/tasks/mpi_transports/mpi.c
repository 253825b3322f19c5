/* Messages of an MPI: back and forth between ranks 0 and 1, or all others to rank 0. Prints microseconds a message.
 *
 *     mpi pingpong BYTES MESSAGES
 *     mpi incast BYTES MESSAGES      (of each sender)
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { window = 32 };

static double pingpong(int rank, char *bytes, int size, int count) {
  const double start = MPI_Wtime();
  for (int i = 0; i < count && rank < 2; ++i) {
    if (rank == 0) MPI_Send(bytes, size, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(bytes, size, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(bytes, size, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
  }
  return (MPI_Wtime() - start) / (2.0 * count);
}

/* Senders wait after each window, so that all send until the end. */
static double incast(int rank, int ranks, char *bytes, int size, int count) {
  const double start = MPI_Wtime();
  MPI_Request requests[window];
  if (rank > 0) {
    for (int sent = 0; sent < count;) {
      int started = 0;
      for (; started < window && sent < count; ++started, ++sent) {
        MPI_Isend(bytes, size, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &requests[started]);
      }
      MPI_Waitall(started, requests, MPI_STATUSES_IGNORE);
    }
  } else {
    for (int left = (ranks - 1) * count; left > 0; --left) {
      MPI_Recv(bytes, size, MPI_BYTE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return (MPI_Wtime() - start) / ((double)(ranks - 1) * count);
}

int main(int argc, char **argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 4 || ranks < 2) MPI_Abort(MPI_COMM_WORLD, 2);
  const int size = atoi(argv[2]), count = atoi(argv[3]);
  char *bytes = calloc(1, (size_t)size + 1);
  double seconds = 0;
  for (int warm = 1; warm >= 0; --warm) {
    const int messages = warm ? count / 10 + 1 : count;
    MPI_Barrier(MPI_COMM_WORLD);
    seconds = strcmp(argv[1], "incast") == 0 ? incast(rank, ranks, bytes, size, messages)
                                             : pingpong(rank, bytes, size, messages);
  }
  if (rank == 0) printf("%.3f\n", seconds * 1e6);
  free(bytes);
  MPI_Finalize();
  return 0;
}
