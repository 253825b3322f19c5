/* A message in two partitions, and a persistent collective: MPI 4. */
#include "explained.h"

static void program(void) {
  double values[2] = {1, 2}, sum;
  MPI_Request request, reduction;
  if (rank == 0) MPI_Psend_init(values, 2, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  if (rank == 1) MPI_Precv_init(values, 2, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  MPI_Allreduce_init(&values[0], &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &reduction);
  MPI_Start(&request);
  for (int part = 0; part < 2 && rank == 0; ++part) MPI_Pready(part, request);
  compute();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Start(&reduction);
  compute();
  MPI_Wait(&reduction, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
  MPI_Request_free(&reduction);
}
