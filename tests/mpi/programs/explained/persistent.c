/* Five times the same persistent requests. */
#include "explained.h"

static void program(void) {
  int sent = rank, received;
  MPI_Request requests[2];
  MPI_Recv_init(&received, 1, MPI_INT, other, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(&sent, 1, MPI_INT, other, 0, MPI_COMM_WORLD, &requests[1]);
  for (int i = 0; i < 5; ++i) {
    MPI_Startall(2, requests);
    usleep(200000);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}
