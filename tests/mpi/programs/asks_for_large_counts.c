/* asks_for_large_counts: calls MPI_Bcast_c if the process has it, as mpi4py does, else MPI_Bcast. Prints "right". */
#include <mpi.h>
#include <stdio.h>

#ifdef OPEN_MPI /* whose header has none */
typedef long long ayatori_count;
extern int MPI_Bcast_c(void* buffer, ayatori_count count, MPI_Datatype type, int root, MPI_Comm comm);
#endif
#pragma weak MPI_Bcast_c

int main(int argc, char** argv) {
  int value = 7;
  MPI_Init(&argc, &argv);
  if (MPI_Bcast_c != NULL) {
    MPI_Bcast_c(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
  } else {
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  if (value == 7) printf("right\n");
  MPI_Finalize();
  return 0;
}
