/* Which calls return an error if they are to receive where they send from? Each rank prints it. A root whose call
 * returned one calls again as it should: the others are in the call already. */

#include <mpi.h>
#include <stdio.h>

enum { most = 16 };
static int rank, size;

static void say(const char* function, int code) {
  printf("rank %d: %s %s\n", rank, function, code == MPI_SUCCESS ? "returned" : "refused");
}

/* At the root alone. */
#define ROOTED(function, aliased, right) \
  do {                                   \
    const int code = aliased;            \
    say(function, code);                 \
    if (code != MPI_SUCCESS) (right);    \
  } while (0)

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size > most) MPI_Abort(MPI_COMM_WORLD, 1);
  int all[most] = {0}, apart[most] = {0}, counts[most], places[most];
  for (int i = 0; i < size; ++i) counts[i] = 1, places[i] = i;
  int* const own = all + rank;
  int* const elsewhere = apart + rank;
  const MPI_Comm comm = MPI_COMM_WORLD;

  say("allreduce", MPI_Allreduce(all, all, 1, MPI_INT, MPI_SUM, comm));
  say("reduce_scatter_block", MPI_Reduce_scatter_block(all, all, 1, MPI_INT, MPI_SUM, comm));
  say("reduce_scatter", MPI_Reduce_scatter(all, all, counts, MPI_INT, MPI_SUM, comm));
  say("allgather", MPI_Allgather(own, 1, MPI_INT, all, 1, MPI_INT, comm));
  say("allgatherv", MPI_Allgatherv(own, 1, MPI_INT, all, counts, places, MPI_INT, comm));
  say("alltoall", MPI_Alltoall(all, 1, MPI_INT, all, 1, MPI_INT, comm));
  say("alltoallv", MPI_Alltoallv(all, counts, places, MPI_INT, all, counts, places, MPI_INT, comm));
  for (int root = 0; root < size; ++root) {
    if (rank == root) {
      ROOTED("reduce", MPI_Reduce(all, all, 1, MPI_INT, MPI_SUM, root, comm),
             MPI_Reduce(all, apart, 1, MPI_INT, MPI_SUM, root, comm));
      ROOTED("gather", MPI_Gather(own, 1, MPI_INT, all, 1, MPI_INT, root, comm),
             MPI_Gather(elsewhere, 1, MPI_INT, all, 1, MPI_INT, root, comm));
      ROOTED("gatherv", MPI_Gatherv(own, 1, MPI_INT, all, counts, places, MPI_INT, root, comm),
             MPI_Gatherv(elsewhere, 1, MPI_INT, all, counts, places, MPI_INT, root, comm));
      ROOTED("scatter", MPI_Scatter(all, 1, MPI_INT, own, 1, MPI_INT, root, comm),
             MPI_Scatter(all, 1, MPI_INT, elsewhere, 1, MPI_INT, root, comm));
      ROOTED("scatterv", MPI_Scatterv(all, counts, places, MPI_INT, own, 1, MPI_INT, root, comm),
             MPI_Scatterv(all, counts, places, MPI_INT, elsewhere, 1, MPI_INT, root, comm));
    } else {
      MPI_Reduce(all, NULL, 1, MPI_INT, MPI_SUM, root, comm);
      MPI_Gather(all, 1, MPI_INT, NULL, 1, MPI_INT, root, comm);
      MPI_Gatherv(all, 1, MPI_INT, NULL, NULL, NULL, MPI_INT, root, comm);
      MPI_Scatter(NULL, 1, MPI_INT, all, 1, MPI_INT, root, comm);
      MPI_Scatterv(NULL, NULL, NULL, MPI_INT, all, 1, MPI_INT, root, comm);
    }
  }
  return MPI_Finalize();
}
