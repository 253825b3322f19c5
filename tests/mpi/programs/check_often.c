/* Calls that are made so often that the plug-in compares the first ones, with roots in turn, and in place now and then:
 * ranks that did not count alike would wait for each other for ever. "right" on rank 0 if all results were.
 *
 *     check_often CALLS
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, ranks, wrong;

static void expect(int got, int wanted) {
  if (got != wanted) wrong = 1;
}

static void allreduce(int i) {
  int mine = rank + i, sum = -1;
  if (i % 5 == 0) {
    sum = mine;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  } else {
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
  expect(sum, ranks * i + ranks * (ranks - 1) / 2);
}

static void broadcast(int i) {
  const int root = i % ranks;
  int value = rank == root ? i : -1;
  MPI_Bcast(&value, 1, MPI_INT, root, MPI_COMM_WORLD);
  expect(value, i);
}

/* Of a root that takes part in place only that rank sees it. */
static void reduce(int i) {
  const int root = i % ranks, in_place = i % 4 == 0 && rank == root;
  int mine = rank + i, sum = mine;
  MPI_Reduce(in_place ? MPI_IN_PLACE : &mine, &sum, 1, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
  if (rank == root) expect(sum, ranks * i + ranks * (ranks - 1) / 2);
}

static void reduce_scatter(int i, int* all) {
  int own = -1;
  for (int block = 0; block < ranks; ++block) all[block] = rank + block + i;
  if (i % 3 == 0)
    MPI_Reduce_scatter_block(MPI_IN_PLACE, all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  else
    MPI_Reduce_scatter_block(all, &own, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect(i % 3 == 0 ? all[0] : own, ranks * (rank + i) + ranks * (ranks - 1) / 2);
  for (int block = 1; block < ranks && i % 3 != 0; ++block) expect(all[block], rank + block + i);
}

static void gather(int i, int* all) {
  const int root = i % ranks, in_place = i % 4 == 0 && rank == root;
  int mine = rank + i;
  if (in_place) all[rank] = mine;
  MPI_Gather(in_place ? MPI_IN_PLACE : &mine, 1, MPI_INT, rank == root ? all : NULL, 1, MPI_INT, root, MPI_COMM_WORLD);
  for (int from = 0; from < ranks && rank == root; ++from) expect(all[from], from + i);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int calls = argc > 1 ? atoi(argv[1]) : 1;
  int* all = malloc((size_t)ranks * sizeof *all);
  for (int i = 0; i < calls; ++i) {
    allreduce(i);
    broadcast(i);
    reduce(i);
    reduce_scatter(i, all);
    gather(i, all);
  }
  free(all);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) puts(wrong ? "wrong" : "right");
  MPI_Finalize();
  return wrong;
}
