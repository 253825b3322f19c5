/* Two processes spawn one, which says that it was. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Comm parent, others;
  int ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_get_parent(&parent);
  if (parent == MPI_COMM_NULL) {
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &others, MPI_ERRCODES_IGNORE);
    MPI_Barrier(others);
  } else {
    printf("spawned %d\n", ranks);
    fflush(stdout);
    MPI_Barrier(parent);
  }
  MPI_Finalize();
  return 0;
}
