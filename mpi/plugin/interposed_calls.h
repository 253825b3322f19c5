#pragma once
/// \file
/// The MPI functions that the plug-in stands in front of, once for everything that needs the list: the table of
/// functions, the wrappers, the look-up of the MPI's own.
///
/// X(NAME, PARAMETERS, ARGUMENTS) for each; all of them return an MPI error code.

#include <mpi.h>

#define AYATORI_MPI_CALLS(X)                                                                                          \
  X(Barrier, (MPI_Comm comm), (comm))                                                                                 \
  X(Bcast, (void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm), (buffer, count, type, root, comm))  \
  X(Reduce, (const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm),     \
    (sent, received, count, type, op, root, comm))                                                                    \
  X(Allreduce, (const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),            \
    (sent, received, count, type, op, comm))                                                                          \
  X(Reduce_scatter_block, (const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm), \
    (sent, received, count, type, op, comm))                                                                          \
  X(Reduce_scatter,                                                                                                   \
    (const void* sent, void* received, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm),              \
    (sent, received, counts, type, op, comm))                                                                         \
  X(Allgather,                                                                                                        \
    (const void* sent, int sent_count, MPI_Datatype sent_type, void* received, int received_count,                    \
     MPI_Datatype received_type, MPI_Comm comm),                                                                      \
    (sent, sent_count, sent_type, received, received_count, received_type, comm))                                     \
  X(Allgatherv,                                                                                                       \
    (const void* sent, int sent_count, MPI_Datatype sent_type, void* received, const int received_counts[],           \
     const int received_at[], MPI_Datatype received_type, MPI_Comm comm),                                             \
    (sent, sent_count, sent_type, received, received_counts, received_at, received_type, comm))                       \
  X(Gather,                                                                                                           \
    (const void* sent, int sent_count, MPI_Datatype sent_type, void* received, int received_count,                    \
     MPI_Datatype received_type, int root, MPI_Comm comm),                                                            \
    (sent, sent_count, sent_type, received, received_count, received_type, root, comm))                               \
  X(Gatherv,                                                                                                          \
    (const void* sent, int sent_count, MPI_Datatype sent_type, void* received, const int received_counts[],           \
     const int received_at[], MPI_Datatype received_type, int root, MPI_Comm comm),                                   \
    (sent, sent_count, sent_type, received, received_counts, received_at, received_type, root, comm))                 \
  X(Scatter,                                                                                                          \
    (const void* sent, int sent_count, MPI_Datatype sent_type, void* received, int received_count,                    \
     MPI_Datatype received_type, int root, MPI_Comm comm),                                                            \
    (sent, sent_count, sent_type, received, received_count, received_type, root, comm))                               \
  X(Scatterv,                                                                                                         \
    (const void* sent, const int sent_counts[], const int sent_from[], MPI_Datatype sent_type, void* received,        \
     int received_count, MPI_Datatype received_type, int root, MPI_Comm comm),                                        \
    (sent, sent_counts, sent_from, sent_type, received, received_count, received_type, root, comm))                   \
  X(Alltoall,                                                                                                         \
    (const void* sent, int sent_count, MPI_Datatype sent_type, void* received, int received_count,                    \
     MPI_Datatype received_type, MPI_Comm comm),                                                                      \
    (sent, sent_count, sent_type, received, received_count, received_type, comm))                                     \
  X(Alltoallv,                                                                                                        \
    (const void* sent, const int sent_counts[], const int sent_from[], MPI_Datatype sent_type, void* received,        \
     const int received_counts[], const int received_at[], MPI_Datatype received_type, MPI_Comm comm),                \
    (sent, sent_counts, sent_from, sent_type, received, received_counts, received_at, received_type, comm))

/// Functions with the types of the MPI's own: either the MPI's (PMPI_…) or ours.
struct ayatori_mpi_calls {
#define AYATORI_MEMBER(name, parameters, arguments) int(*name) parameters;
  AYATORI_MPI_CALLS(AYATORI_MEMBER)
#undef AYATORI_MEMBER
};

/// What the library libayatori_mpi_engine.so offers to libayatori_mpi.so. Called once, after MPI_Init, by all processes
/// of MPI_COMM_WORLD. Fills `played` and returns 1, or returns 0 where there is nothing to play.
typedef int ayatori_mpi_start(struct ayatori_mpi_calls* played);
