/* Messages of an intercommunicator name ranks of the other group. */
#include "explained.h"

static void program(void) {
  int sent = rank, received;
  MPI_Comm between;
  MPI_Request requests[2];
  MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, other, 0, &between);
  MPI_Irecv(&received, 1, MPI_INT, 0, 0, between, &requests[0]);
  MPI_Isend(&sent, 1, MPI_INT, 0, 0, between, &requests[1]);
  compute();
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Comm_free(&between);
}
