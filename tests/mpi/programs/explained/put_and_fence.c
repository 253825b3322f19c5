/* Both compute between a put and its fence. */
#include "explained.h"

static void program(void) {
  char *sent = bytes(1 << 20), *memory;
  MPI_Win window;
  MPI_Win_allocate(1 << 20, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  MPI_Win_fence(0, window);
  MPI_Put(sent, 1 << 20, MPI_BYTE, other, 0, 1 << 20, MPI_BYTE, window);
  compute();
  compute();
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
}
