/* A put in an epoch of two groups; its origin computes before MPI_Win_complete. */
#include "explained.h"

static void program(void) {
  int value = rank, *memory;
  MPI_Group all, partner;
  MPI_Win window;
  MPI_Win_allocate(sizeof value, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &other, &partner);
  if (rank == 0) {
    MPI_Win_start(partner, 0, window);
    MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
    compute();
    MPI_Win_complete(window);
  } else {
    MPI_Win_post(partner, 0, window);
    MPI_Win_wait(window);
  }
  MPI_Group_free(&partner);
  MPI_Group_free(&all);
  MPI_Win_free(&window);
}
