#pragma once
/// \file
/// The MPI functions that the plug-in stands in front of, once for everything that needs the list: the table of
/// functions, the wrappers, the look-up of the MPI's own.
///
/// X(NAME, PARAMETERS, ARGUMENTS) for each; all of them return an MPI error code.
///
/// A function whose data are counted may come twice: with counts and displacements that are int (MPI_Bcast), and, since
/// MPI 4.0, with large ones (MPI_Bcast_c). C is what follows its name, COUNT and AT are their types.

#include <mpi.h>

/// Collectives that block.
#define AYATORI_COUNTED_COLLECTIVES(X, C, COUNT, AT)                                                                   \
  X(Bcast##C, (void* buffer, COUNT count, MPI_Datatype type, int root, MPI_Comm comm),                                 \
    (buffer, count, type, root, comm))                                                                                 \
  X(Reduce##C, (const void* sent, void* received, COUNT count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm), \
    (sent, received, count, type, op, root, comm))                                                                     \
  X(Allreduce##C, (const void* sent, void* received, COUNT count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),        \
    (sent, received, count, type, op, comm))                                                                           \
  X(Reduce_scatter_block##C,                                                                                           \
    (const void* sent, void* received, COUNT count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),                      \
    (sent, received, count, type, op, comm))                                                                           \
  X(Reduce_scatter##C,                                                                                                 \
    (const void* sent, void* received, const COUNT counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm),             \
    (sent, received, counts, type, op, comm))                                                                          \
  X(Allgather##C,                                                                                                      \
    (const void* sent, COUNT sent_count, MPI_Datatype sent_type, void* received, COUNT received_count,                 \
     MPI_Datatype received_type, MPI_Comm comm),                                                                       \
    (sent, sent_count, sent_type, received, received_count, received_type, comm))                                      \
  X(Allgatherv##C,                                                                                                     \
    (const void* sent, COUNT sent_count, MPI_Datatype sent_type, void* received, const COUNT received_counts[],        \
     const AT received_at[], MPI_Datatype received_type, MPI_Comm comm),                                               \
    (sent, sent_count, sent_type, received, received_counts, received_at, received_type, comm))                        \
  X(Gather##C,                                                                                                         \
    (const void* sent, COUNT sent_count, MPI_Datatype sent_type, void* received, COUNT received_count,                 \
     MPI_Datatype received_type, int root, MPI_Comm comm),                                                             \
    (sent, sent_count, sent_type, received, received_count, received_type, root, comm))                                \
  X(Gatherv##C,                                                                                                        \
    (const void* sent, COUNT sent_count, MPI_Datatype sent_type, void* received, const COUNT received_counts[],        \
     const AT received_at[], MPI_Datatype received_type, int root, MPI_Comm comm),                                     \
    (sent, sent_count, sent_type, received, received_counts, received_at, received_type, root, comm))                  \
  X(Scatter##C,                                                                                                        \
    (const void* sent, COUNT sent_count, MPI_Datatype sent_type, void* received, COUNT received_count,                 \
     MPI_Datatype received_type, int root, MPI_Comm comm),                                                             \
    (sent, sent_count, sent_type, received, received_count, received_type, root, comm))                                \
  X(Scatterv##C,                                                                                                       \
    (const void* sent, const COUNT sent_counts[], const AT sent_from[], MPI_Datatype sent_type, void* received,        \
     COUNT received_count, MPI_Datatype received_type, int root, MPI_Comm comm),                                       \
    (sent, sent_counts, sent_from, sent_type, received, received_count, received_type, root, comm))                    \
  X(Alltoall##C,                                                                                                       \
    (const void* sent, COUNT sent_count, MPI_Datatype sent_type, void* received, COUNT received_count,                 \
     MPI_Datatype received_type, MPI_Comm comm),                                                                       \
    (sent, sent_count, sent_type, received, received_count, received_type, comm))                                      \
  X(Alltoallv##C,                                                                                                      \
    (const void* sent, const COUNT sent_counts[], const AT sent_from[], MPI_Datatype sent_type, void* received,        \
     const COUNT received_counts[], const AT received_at[], MPI_Datatype received_type, MPI_Comm comm),                \
    (sent, sent_counts, sent_from, sent_type, received, received_counts, received_at, received_type, comm))

/// The forms of them that do not.
#define AYATORI_COUNTED_NONBLOCKING(X, C, COUNT, AT)                                                            \
  X(Ibcast##C, (void* buffer, COUNT count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request),   \
    (buffer, count, type, root, comm, request))                                                                 \
  X(Ireduce##C,                                                                                                 \
    (const void* sent, void* received, COUNT count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,      \
     MPI_Request* request),                                                                                     \
    (sent, received, count, type, op, root, comm, request))                                                     \
  X(Iallreduce##C,                                                                                              \
    (const void* sent, void* received, COUNT count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,                \
     MPI_Request* request),                                                                                     \
    (sent, received, count, type, op, comm, request))                                                           \
  X(Ireduce_scatter_block##C,                                                                                   \
    (const void* sent, void* received, COUNT count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,                \
     MPI_Request* request),                                                                                     \
    (sent, received, count, type, op, comm, request))                                                           \
  X(Ireduce_scatter##C,                                                                                         \
    (const void* sent, void* received, const COUNT counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm,       \
     MPI_Request* request),                                                                                     \
    (sent, received, counts, type, op, comm, request))                                                          \
  X(Iallgather##C,                                                                                              \
    (const void* sent, COUNT sent_count, MPI_Datatype sent_type, void* received, COUNT received_count,          \
     MPI_Datatype received_type, MPI_Comm comm, MPI_Request* request),                                          \
    (sent, sent_count, sent_type, received, received_count, received_type, comm, request))                      \
  X(Iallgatherv##C,                                                                                             \
    (const void* sent, COUNT sent_count, MPI_Datatype sent_type, void* received, const COUNT received_counts[], \
     const AT received_at[], MPI_Datatype received_type, MPI_Comm comm, MPI_Request* request),                  \
    (sent, sent_count, sent_type, received, received_counts, received_at, received_type, comm, request))        \
  X(Igather##C,                                                                                                 \
    (const void* sent, COUNT sent_count, MPI_Datatype sent_type, void* received, COUNT received_count,          \
     MPI_Datatype received_type, int root, MPI_Comm comm, MPI_Request* request),                                \
    (sent, sent_count, sent_type, received, received_count, received_type, root, comm, request))                \
  X(Igatherv##C,                                                                                                \
    (const void* sent, COUNT sent_count, MPI_Datatype sent_type, void* received, const COUNT received_counts[], \
     const AT received_at[], MPI_Datatype received_type, int root, MPI_Comm comm, MPI_Request* request),        \
    (sent, sent_count, sent_type, received, received_counts, received_at, received_type, root, comm, request))  \
  X(Iscatter##C,                                                                                                \
    (const void* sent, COUNT sent_count, MPI_Datatype sent_type, void* received, COUNT received_count,          \
     MPI_Datatype received_type, int root, MPI_Comm comm, MPI_Request* request),                                \
    (sent, sent_count, sent_type, received, received_count, received_type, root, comm, request))                \
  X(Iscatterv##C,                                                                                               \
    (const void* sent, const COUNT sent_counts[], const AT sent_from[], MPI_Datatype sent_type, void* received, \
     COUNT received_count, MPI_Datatype received_type, int root, MPI_Comm comm, MPI_Request* request),          \
    (sent, sent_counts, sent_from, sent_type, received, received_count, received_type, root, comm, request))    \
  X(Ialltoall##C,                                                                                               \
    (const void* sent, COUNT sent_count, MPI_Datatype sent_type, void* received, COUNT received_count,          \
     MPI_Datatype received_type, MPI_Comm comm, MPI_Request* request),                                          \
    (sent, sent_count, sent_type, received, received_count, received_type, comm, request))                      \
  X(Ialltoallv##C,                                                                                              \
    (const void* sent, const COUNT sent_counts[], const AT sent_from[], MPI_Datatype sent_type, void* received, \
     const COUNT received_counts[], const AT received_at[], MPI_Datatype received_type, MPI_Comm comm,          \
     MPI_Request* request),                                                                                     \
    (sent, sent_counts, sent_from, sent_type, received, received_counts, received_at, received_type, comm, request))

/// Functions that begin requests, and are the MPI's own.
#define AYATORI_COUNTED_BEGINNING(X, C, COUNT, AT)                                                                     \
  X(Isend##C,                                                                                                          \
    (const void* data, COUNT count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request),          \
    (data, count, type, to, tag, comm, request))                                                                       \
  X(Issend##C,                                                                                                         \
    (const void* data, COUNT count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request),          \
    (data, count, type, to, tag, comm, request))                                                                       \
  X(Irsend##C,                                                                                                         \
    (const void* data, COUNT count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request),          \
    (data, count, type, to, tag, comm, request))                                                                       \
  X(Irecv##C, (void* data, COUNT count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request),    \
    (data, count, type, from, tag, comm, request))                                                                     \
  X(Imrecv##C, (void* data, COUNT count, MPI_Datatype type, MPI_Message* message, MPI_Request* request),               \
    (data, count, type, message, request))                                                                             \
  X(Iscan##C,                                                                                                          \
    (const void* sent, void* received, COUNT count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,                       \
     MPI_Request* request),                                                                                            \
    (sent, received, count, type, op, comm, request))                                                                  \
  X(Iexscan##C,                                                                                                        \
    (const void* sent, void* received, COUNT count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,                       \
     MPI_Request* request),                                                                                            \
    (sent, received, count, type, op, comm, request))                                                                  \
  X(Ialltoallw##C,                                                                                                     \
    (const void* sent, const COUNT sent_counts[], const AT sent_from[], const MPI_Datatype sent_types[],               \
     void* received, const COUNT received_counts[], const AT received_at[], const MPI_Datatype received_types[],       \
     MPI_Comm comm, MPI_Request* request),                                                                             \
    (sent, sent_counts, sent_from, sent_types, received, received_counts, received_at, received_types, comm, request)) \
  X(Ineighbor_allgather##C,                                                                                            \
    (const void* sent, COUNT sent_count, MPI_Datatype sent_type, void* received, COUNT received_count,                 \
     MPI_Datatype received_type, MPI_Comm comm, MPI_Request* request),                                                 \
    (sent, sent_count, sent_type, received, received_count, received_type, comm, request))                             \
  X(Ineighbor_allgatherv##C,                                                                                           \
    (const void* sent, COUNT sent_count, MPI_Datatype sent_type, void* received, const COUNT received_counts[],        \
     const AT received_at[], MPI_Datatype received_type, MPI_Comm comm, MPI_Request* request),                         \
    (sent, sent_count, sent_type, received, received_counts, received_at, received_type, comm, request))               \
  X(Ineighbor_alltoall##C,                                                                                             \
    (const void* sent, COUNT sent_count, MPI_Datatype sent_type, void* received, COUNT received_count,                 \
     MPI_Datatype received_type, MPI_Comm comm, MPI_Request* request),                                                 \
    (sent, sent_count, sent_type, received, received_count, received_type, comm, request))                             \
  X(Ineighbor_alltoallv##C,                                                                                            \
    (const void* sent, const COUNT sent_counts[], const AT sent_from[], MPI_Datatype sent_type, void* received,        \
     const COUNT received_counts[], const AT received_at[], MPI_Datatype received_type, MPI_Comm comm,                 \
     MPI_Request* request),                                                                                            \
    (sent, sent_counts, sent_from, sent_type, received, received_counts, received_at, received_type, comm, request))   \
  X(Ineighbor_alltoallw##C,                                                                                            \
    (const void* sent, const COUNT sent_counts[], const MPI_Aint sent_from[], const MPI_Datatype sent_types[],         \
     void* received, const COUNT received_counts[], const MPI_Aint received_at[], const MPI_Datatype received_types[], \
     MPI_Comm comm, MPI_Request* request),                                                                             \
    (sent, sent_counts, sent_from, sent_types, received, received_counts, received_at, received_types, comm, request))

/// Functions that make communicators. All of their processes call them, so what a call that does not block needs of a
/// communicator can be made here.
#define AYATORI_COMMUNICATOR_CALLS(X)                                                                        \
  X(Comm_dup, (MPI_Comm comm, MPI_Comm * made), (comm, made))                                                \
  X(Comm_split, (MPI_Comm comm, int colour, int key, MPI_Comm* made), (comm, colour, key, made))             \
  X(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm * made), (comm, group, made))                     \
  X(Cart_create,                                                                                             \
    (MPI_Comm comm, int dimensions, const int lengths[], const int periodic[], int reorder, MPI_Comm* made), \
    (comm, dimensions, lengths, periodic, reorder, made))

/// Functions that make communicators and do not block. The last argument is the request.
#define AYATORI_DUPLICATING_CALLS(X) \
  X(Comm_idup, (MPI_Comm comm, MPI_Comm * made, MPI_Request * request), (comm, made, request))

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

#define AYATORI_COUNTED_REQUESTS(X, C, COUNT, AT) \
  AYATORI_COUNTED_NONBLOCKING(X, C, COUNT, AT)    \
  AYATORI_COUNTED_BEGINNING(X, C, COUNT, AT)

#define AYATORI_UNCOUNTED_REQUESTS(X)                                  \
  X(Ibarrier, (MPI_Comm comm, MPI_Request * request), (comm, request)) \
  X(Start, (MPI_Request * request), (request))

/// Functions with large counts, and others of MPI 4. An MPI of the family may lack them; where its header does, we
/// stand in front of none.
#if MPI_VERSION >= 4
#define AYATORI_HAS_LARGE_COUNTS 1
#define AYATORI_LARGE_COLLECTIVES(X) AYATORI_COUNTED_COLLECTIVES(X, _c, MPI_Count, MPI_Aint)
#define AYATORI_LARGE_REQUESTS(X) AYATORI_COUNTED_REQUESTS(X, _c, MPI_Count, MPI_Aint)
#define AYATORI_NEWER_CALLS(X)                                                                                         \
  X(Comm_idup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm * made, MPI_Request * request),                       \
    (comm, info, made, request))                                                                                       \
  X(Comm_create_from_group, (MPI_Group group, const char* tag, MPI_Info info, MPI_Errhandler handler, MPI_Comm* made), \
    (group, tag, info, handler, made))                                                                                 \
  X(Session_init, (MPI_Info info, MPI_Errhandler handler, MPI_Session * session), (info, handler, session))
#else
#define AYATORI_HAS_LARGE_COUNTS 0
#define AYATORI_LARGE_COLLECTIVES(X)
#define AYATORI_LARGE_REQUESTS(X)
#define AYATORI_NEWER_CALLS(X)
#endif
/// Functions of MPI 4.
#define AYATORI_MPI_4_CALLS(X) \
  AYATORI_LARGE_COLLECTIVES(X) \
  AYATORI_LARGE_REQUESTS(X)    \
  AYATORI_NEWER_CALLS(X)

/// All that begin one request, their last argument.
#define AYATORI_REQUESTING_CALLS(X)       \
  AYATORI_UNCOUNTED_REQUESTS(X)           \
  AYATORI_COUNTED_REQUESTS(X, , int, int) \
  AYATORI_LARGE_REQUESTS(X)

/// Functions that every MPI has.
#define AYATORI_COMMON_CALLS(X)              \
  X(Barrier, (MPI_Comm comm), (comm))        \
  AYATORI_COUNTED_COLLECTIVES(X, , int, int) \
  AYATORI_UNCOUNTED_REQUESTS(X)              \
  AYATORI_COUNTED_REQUESTS(X, , int, int)    \
  AYATORI_COMMUNICATOR_CALLS(X)              \
  AYATORI_DUPLICATING_CALLS(X)               \
  AYATORI_REQUEST_CALLS(X)

/// Functions with the types of the MPI's own: either the MPI's (PMPI_…) or ours. NULL: the MPI lacks it.
struct ayatori_mpi_calls {
#define AYATORI_MEMBER(name, parameters, arguments) int(*name) parameters;
  AYATORI_COMMON_CALLS(AYATORI_MEMBER)
  AYATORI_MPI_4_CALLS(AYATORI_MEMBER)
#undef AYATORI_MEMBER
};

/// What the library libayatori_mpi_engine.so offers to libayatori_mpi.so. Called once, after MPI_Init, by all processes
/// of MPI_COMM_WORLD. `executed` has the MPI's own functions, of which it replaces some; then it returns 1, or 0 if it
/// replaces none. `level` is the thread level for which the program asked, or -1 if it is the one that it has.
typedef int ayatori_mpi_start(struct ayatori_mpi_calls* executed, int level);
