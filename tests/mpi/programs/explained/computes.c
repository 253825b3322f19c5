/* Both compute while a short message is under way. */
#include "explained.h"

static void program(void) {
  int sent = rank, received;
  MPI_Request requests[2];
  MPI_Irecv(&received, 1, MPI_INT, other, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&sent, 1, MPI_INT, other, 0, MPI_COMM_WORLD, &requests[1]);
  compute();
  compute();
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}
