/* Arguments that count at the root alone need not be valid elsewhere. */
#include "explained.h"

static void program(void) {
  int value = rank, *values = bytes((size_t)ranks * sizeof value);
  const int root = rank == 0;
  MPI_Request request;
  MPI_Gather(&value, 1, MPI_INT, root ? values : NULL, root, root ? MPI_INT : MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
  MPI_Igather(root ? MPI_IN_PLACE : &value, root ? 0 : 1, root ? MPI_DATATYPE_NULL : MPI_INT, values, 1, MPI_INT, 0,
              MPI_COMM_WORLD, &request);
  compute();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Scatter(root ? values : NULL, root, root ? MPI_INT : MPI_DATATYPE_NULL, root ? MPI_IN_PLACE : &value,
              root ? 0 : 1, root ? MPI_DATATYPE_NULL : MPI_INT, 0, MPI_COMM_WORLD);
}
