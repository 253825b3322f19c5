/* What the programs here share: each says in program() what its ranks do. What `ayatori explain` must say of it is in
 * tests/mpi/test_explained_programs.py. */
#pragma once

#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

static int rank, ranks, other;

/* Long enough for a busy machine: what else a program does takes a few milliseconds. */
static void compute(void) { usleep(600000); }

static void* bytes(size_t size) { return calloc(size, 1); }

static void program(void);

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  other = ranks - 1 - rank;
  program();
  MPI_Finalize();
}
