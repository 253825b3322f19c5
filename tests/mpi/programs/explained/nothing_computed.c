/* Large messages, and nothing to hide them behind. */
#include "explained.h"

static void program(void) {
  char *sent = bytes(64 << 20), *received = bytes(64 << 20);
  for (int i = 0; i < 20; ++i) {
    MPI_Request requests[2];
    MPI_Irecv(received, 64 << 20, MPI_BYTE, other, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(sent, 64 << 20, MPI_BYTE, other, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
}
