/* A receive from anybody takes 1 MiB and gets 8 bytes. */
#include "explained.h"

static void program(void) {
  char* data = bytes(1 << 20);
  MPI_Request request;
  if (rank == 0) {
    MPI_Irecv(data, 1 << 20, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    compute();
    MPI_Send(data, 8, MPI_BYTE, 0, 7, MPI_COMM_WORLD);
  }
}
