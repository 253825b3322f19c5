/* Every process sends SIZE bytes to every other, checks what it gets, and adds up ranks with all of them. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const int size = argc > 1 ? atoi(argv[1]) : 1 << 20;
  int rank, count, sum;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  unsigned char *out = malloc((size_t)size), *in = malloc((size_t)size);
  int wrong = !out || !in;
  for (int step = 1; step < count && !wrong; ++step) {
    const int to = (rank + step) % count, from = (rank + count - step) % count;
    for (int i = 0; i < size; ++i) out[i] = (unsigned char)(rank * 31 + i);
    MPI_Sendrecv(out, size, MPI_BYTE, to, step, in, size, MPI_BYTE, from, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < size; ++i) wrong |= in[i] != (unsigned char)(from * 31 + i);
  }
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  wrong |= sum != count * (count - 1) / 2;
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("%s between %d\n", wrong ? "wrong" : "right", count);
    fflush(stdout);
  }
  free(out);
  free(in);
  MPI_Finalize();
  return wrong;
}
