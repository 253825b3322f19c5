#pragma once
/// \file
/// The MPI functions that the plug-in stands in front of, once for everything that needs the list: the table of
/// functions, the wrappers, the look-up of the MPI's own.
///
/// X(NAME, PARAMETERS, ARGUMENTS) for each; all of them return an MPI error code.

#include <mpi.h>

/// The forms that do not block.
#define AYATORI_NONBLOCKING_CALLS(X)                                                                                  \
  X(Ibarrier, (MPI_Comm comm, MPI_Request * request), (comm, request))                                                \
  X(Ibcast, (void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request),              \
    (buffer, count, type, root, comm, request))                                                                       \
  X(Ireduce,                                                                                                          \
    (const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,              \
     MPI_Request* request),                                                                                           \
    (sent, received, count, type, op, root, comm, request))                                                           \
  X(Iallreduce,                                                                                                       \
    (const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request), \
    (sent, received, count, type, op, comm, request))                                                                 \
  X(Ireduce_scatter_block,                                                                                            \
    (const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request), \
    (sent, received, count, type, op, comm, request))                                                                 \
  X(Ireduce_scatter,                                                                                                  \
    (const void* sent, void* received, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm,               \
     MPI_Request* request),                                                                                           \
    (sent, received, counts, type, op, comm, request))                                                                \
  X(Iallgather,                                                                                                       \
    (const void* sent, int sent_count, MPI_Datatype sent_type, void* received, int received_count,                    \
     MPI_Datatype received_type, MPI_Comm comm, MPI_Request* request),                                                \
    (sent, sent_count, sent_type, received, received_count, received_type, comm, request))                            \
  X(Iallgatherv,                                                                                                      \
    (const void* sent, int sent_count, MPI_Datatype sent_type, void* received, const int received_counts[],           \
     const int received_at[], MPI_Datatype received_type, MPI_Comm comm, MPI_Request* request),                       \
    (sent, sent_count, sent_type, received, received_counts, received_at, received_type, comm, request))              \
  X(Igather,                                                                                                          \
    (const void* sent, int sent_count, MPI_Datatype sent_type, void* received, int received_count,                    \
     MPI_Datatype received_type, int root, MPI_Comm comm, MPI_Request* request),                                      \
    (sent, sent_count, sent_type, received, received_count, received_type, root, comm, request))                      \
  X(Igatherv,                                                                                                         \
    (const void* sent, int sent_count, MPI_Datatype sent_type, void* received, const int received_counts[],           \
     const int received_at[], MPI_Datatype received_type, int root, MPI_Comm comm, MPI_Request* request),             \
    (sent, sent_count, sent_type, received, received_counts, received_at, received_type, root, comm, request))        \
  X(Iscatter,                                                                                                         \
    (const void* sent, int sent_count, MPI_Datatype sent_type, void* received, int received_count,                    \
     MPI_Datatype received_type, int root, MPI_Comm comm, MPI_Request* request),                                      \
    (sent, sent_count, sent_type, received, received_count, received_type, root, comm, request))                      \
  X(Iscatterv,                                                                                                        \
    (const void* sent, const int sent_counts[], const int sent_from[], MPI_Datatype sent_type, void* received,        \
     int received_count, MPI_Datatype received_type, int root, MPI_Comm comm, MPI_Request* request),                  \
    (sent, sent_counts, sent_from, sent_type, received, received_count, received_type, root, comm, request))          \
  X(Ialltoall,                                                                                                        \
    (const void* sent, int sent_count, MPI_Datatype sent_type, void* received, int received_count,                    \
     MPI_Datatype received_type, MPI_Comm comm, MPI_Request* request),                                                \
    (sent, sent_count, sent_type, received, received_count, received_type, comm, request))                            \
  X(Ialltoallv,                                                                                                       \
    (const void* sent, const int sent_counts[], const int sent_from[], MPI_Datatype sent_type, void* received,        \
     const int received_counts[], const int received_at[], MPI_Datatype received_type, MPI_Comm comm,                 \
     MPI_Request* request),                                                                                           \
    (sent, sent_counts, sent_from, sent_type, received, received_counts, received_at, received_type, comm, request))

/// Functions that make communicators. All of their processes call them, so what a call that does not block needs of a
/// communicator can be made here.
#define AYATORI_COMMUNICATOR_CALLS(X)                                                                        \
  X(Comm_dup, (MPI_Comm comm, MPI_Comm * made), (comm, made))                                                \
  X(Comm_split, (MPI_Comm comm, int colour, int key, MPI_Comm* made), (comm, colour, key, made))             \
  X(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm * made), (comm, group, made))                     \
  X(Cart_create,                                                                                             \
    (MPI_Comm comm, int dimensions, const int lengths[], const int periodic[], int reorder, MPI_Comm* made), \
    (comm, dimensions, lengths, periodic, reorder, made))

/// Functions that begin requests, and are the MPI's own.
#define AYATORI_BEGINNING_CALLS(X)                                                                                     \
  X(Isend, (const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request),     \
    (data, count, type, to, tag, comm, request))                                                                       \
  X(Issend, (const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request),    \
    (data, count, type, to, tag, comm, request))                                                                       \
  X(Irsend, (const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request),    \
    (data, count, type, to, tag, comm, request))                                                                       \
  X(Irecv, (void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request),         \
    (data, count, type, from, tag, comm, request))                                                                     \
  X(Imrecv, (void* data, int count, MPI_Datatype type, MPI_Message* message, MPI_Request* request),                    \
    (data, count, type, message, request))                                                                             \
  X(Start, (MPI_Request * request), (request))                                                                         \
  X(Iscan,                                                                                                             \
    (const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request),  \
    (sent, received, count, type, op, comm, request))                                                                  \
  X(Iexscan,                                                                                                           \
    (const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request),  \
    (sent, received, count, type, op, comm, request))                                                                  \
  X(Ialltoallw,                                                                                                        \
    (const void* sent, const int sent_counts[], const int sent_from[], const MPI_Datatype sent_types[],                \
     void* received, const int received_counts[], const int received_at[], const MPI_Datatype received_types[],        \
     MPI_Comm comm, MPI_Request* request),                                                                             \
    (sent, sent_counts, sent_from, sent_types, received, received_counts, received_at, received_types, comm, request)) \
  X(Ineighbor_allgather,                                                                                               \
    (const void* sent, int sent_count, MPI_Datatype sent_type, void* received, int received_count,                     \
     MPI_Datatype received_type, MPI_Comm comm, MPI_Request* request),                                                 \
    (sent, sent_count, sent_type, received, received_count, received_type, comm, request))                             \
  X(Ineighbor_allgatherv,                                                                                              \
    (const void* sent, int sent_count, MPI_Datatype sent_type, void* received, const int received_counts[],            \
     const int received_at[], MPI_Datatype received_type, MPI_Comm comm, MPI_Request* request),                        \
    (sent, sent_count, sent_type, received, received_counts, received_at, received_type, comm, request))               \
  X(Ineighbor_alltoall,                                                                                                \
    (const void* sent, int sent_count, MPI_Datatype sent_type, void* received, int received_count,                     \
     MPI_Datatype received_type, MPI_Comm comm, MPI_Request* request),                                                 \
    (sent, sent_count, sent_type, received, received_count, received_type, comm, request))                             \
  X(Ineighbor_alltoallv,                                                                                               \
    (const void* sent, const int sent_counts[], const int sent_from[], MPI_Datatype sent_type, void* received,         \
     const int received_counts[], const int received_at[], MPI_Datatype received_type, MPI_Comm comm,                  \
     MPI_Request* request),                                                                                            \
    (sent, sent_counts, sent_from, sent_type, received, received_counts, received_at, received_type, comm, request))   \
  X(Ineighbor_alltoallw,                                                                                               \
    (const void* sent, const int sent_counts[], const MPI_Aint sent_from[], const MPI_Datatype sent_types[],           \
     void* received, const int received_counts[], const MPI_Aint received_at[], const MPI_Datatype received_types[],   \
     MPI_Comm comm, MPI_Request* request),                                                                             \
    (sent, sent_counts, sent_from, sent_types, received, received_counts, received_at, received_types, comm, request))

/// Functions that begin several or end requests, and others that programs call while they compute.
#define AYATORI_REQUEST_CALLS(X)                                                                                       \
  X(Startall, (int count, MPI_Request requests[]), (count, requests))                                                  \
  X(Wait, (MPI_Request * request, MPI_Status * status), (request, status))                                             \
  X(Waitany, (int count, MPI_Request requests[], int* index, MPI_Status* status), (count, requests, index, status))    \
  X(Waitsome, (int count, MPI_Request requests[], int* over, int indices[], MPI_Status statuses[]),                    \
    (count, requests, over, indices, statuses))                                                                        \
  X(Waitall, (int count, MPI_Request requests[], MPI_Status statuses[]), (count, requests, statuses))                  \
  X(Test, (MPI_Request * request, int* over, MPI_Status* status), (request, over, status))                             \
  X(Testany, (int count, MPI_Request requests[], int* index, int* over, MPI_Status* status),                           \
    (count, requests, index, over, status))                                                                            \
  X(Testsome, (int count, MPI_Request requests[], int* over, int indices[], MPI_Status statuses[]),                    \
    (count, requests, over, indices, statuses))                                                                        \
  X(Testall, (int count, MPI_Request requests[], int* over, MPI_Status statuses[]), (count, requests, over, statuses)) \
  X(Request_free, (MPI_Request * request), (request))                                                                  \
  X(Comm_rank, (MPI_Comm comm, int* rank), (comm, rank))                                                               \
  X(Comm_size, (MPI_Comm comm, int* size), (comm, size))                                                               \
  X(Get_count, (const MPI_Status* status, MPI_Datatype type, int* count), (status, type, count))                       \
  X(Finalize, (void), ())

/// Those that are played, and what goes with them.
#define AYATORI_COLLECTIVE_CALLS(X)                                                                                   \
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
    (sent, sent_counts, sent_from, sent_type, received, received_counts, received_at, received_type, comm))           \
  AYATORI_NONBLOCKING_CALLS(X)                                                                                        \
  AYATORI_COMMUNICATOR_CALLS(X)

/// All of them.
#define AYATORI_MPI_CALLS(X)  \
  AYATORI_COLLECTIVE_CALLS(X) \
  AYATORI_BEGINNING_CALLS(X)  \
  AYATORI_REQUEST_CALLS(X)

/// Functions with the types of the MPI's own: either the MPI's (PMPI_…) or ours.
struct ayatori_mpi_calls {
#define AYATORI_MEMBER(name, parameters, arguments) int(*name) parameters;
  AYATORI_MPI_CALLS(AYATORI_MEMBER)
#undef AYATORI_MEMBER
};

/// What the library libayatori_mpi_engine.so offers to libayatori_mpi.so. Called once, after MPI_Init, by all processes
/// of MPI_COMM_WORLD. `played` has the MPI's own functions, of which it replaces some; then it returns 1, or 0 if it
/// replaces none. `level` is the thread level for which the program asked, or -1 if it is the one that it has.
typedef int ayatori_mpi_start(struct ayatori_mpi_calls* played, int level);
