/* What mixed_languages.f90 calls from C. */

#include <mpi.h>
#include <stddef.h>

void init_in_c(void) { MPI_Init(NULL, NULL); }

void sum_in_c(const int* value, int* sum) { MPI_Allreduce(value, sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); }

void broadcast_in_c(int* value) { MPI_Bcast(value, 1, MPI_INT, 0, MPI_COMM_WORLD); }

void barrier_in_c(void) { MPI_Barrier(MPI_COMM_WORLD); }
