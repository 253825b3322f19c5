/* check_duplicates: communicators are duplicated without blocking while other collectives are under way, and while
 * another rank is in a collective of another communicator. Prints "right" on rank 0. */

#include <mpi.h>
#include <stdio.h>

enum { at_once = 5 };

static int rank;
static int ranks;

static void need(int right, const char* what) {
  if (right) return;
  printf("rank %d: %s\n", rank, what);
  fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

static void sum(MPI_Comm comm) {
  int one = 1, all = 0;
  MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, comm);
  need(all == ranks, "a sum");
}

static void use_and_free(MPI_Comm comms[], int count) {
  for (int i = 0; i < count; ++i) {
    sum(comms[i]);
    MPI_Comm_free(&comms[i]);
  }
}

/* Each duplication follows a collective that is under way on the same communicator. */
static void among_collectives(MPI_Comm comm) {
  MPI_Request requests[2 * at_once];
  MPI_Comm made[at_once];
  int values[at_once], sums[at_once];
  for (int i = 0; i < at_once; ++i) {
    MPI_Ibarrier(comm, &requests[i]);
    MPI_Comm_idup(comm, &made[i], &requests[i + at_once]);
  }
  MPI_Waitall(2 * at_once, requests, MPI_STATUSES_IGNORE);
  use_and_free(made, at_once);
  for (int i = 0; i < at_once; ++i) {
    values[i] = i;
    MPI_Iallreduce(&values[i], &sums[i], 1, MPI_INT, MPI_SUM, comm, &requests[i]);
    MPI_Comm_idup(comm, &made[i], &requests[i + at_once]);
  }
  MPI_Waitall(2 * at_once, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < at_once; ++i) need(sums[i] == i * ranks, "a sum without blocking");
  use_and_free(made, at_once);
}

/* Rank 0 is in the first collective of `used` before it begins to duplicate `duplicated`, the others after that. */
static void in_another_order(MPI_Comm used, MPI_Comm duplicated) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm made = MPI_COMM_NULL;
  if (rank != 0) MPI_Comm_idup(duplicated, &made, &request);
  for (int i = 0; i < 40; ++i) sum(used);
  if (rank == 0) MPI_Comm_idup(duplicated, &made, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  use_and_free(&made, 1);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int round = 0; round < 4; ++round) {
    MPI_Comm first = MPI_COMM_NULL, second = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &second);
    among_collectives(round % 2 == 0 ? MPI_COMM_WORLD : second);
    in_another_order(round < 2 ? first : second, round < 2 ? second : first);
    MPI_Comm_free(&first);
    MPI_Comm_free(&second);
  }
  if (rank == 0) puts("right");
  MPI_Finalize();
  return 0;
}
