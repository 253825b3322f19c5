/* Which error handler counts for a communicator that was made before MPI_COMM_WORLD got one? Each rank prints whether a
 * wrong send returned, unless the MPI ends the job. */

#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm earlier = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &earlier);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int size = 0;
  MPI_Comm_size(earlier, &size);
  MPI_Allreduce(MPI_IN_PLACE, &size, 1, MPI_INT, MPI_MAX, earlier);
  const int code = MPI_Send(&size, 1, MPI_INT, size + 1, 0, earlier);
  fputs(code == MPI_SUCCESS ? "sent\n" : "returned\n", stdout); /* in one write */
  fflush(stdout);
  MPI_Comm_free(&earlier);
  return MPI_Finalize();
}
