/* A nonblocking exchange with neighbours of a ring. */
#include "explained.h"

static void program(void) {
  int size = ranks, is_ring = 1, sent[2] = {rank, rank}, received[2];
  MPI_Comm ring;
  MPI_Request request;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &is_ring, 0, &ring);
  MPI_Ineighbor_alltoall(sent, 1, MPI_INT, received, 1, MPI_INT, ring, &request);
  compute();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_free(&ring);
}
