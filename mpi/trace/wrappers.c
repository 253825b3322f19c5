/* The MPI functions that are written down. Each calls the function of the same name after it: the MPI's, or that of
 * another library that is preloaded. */

#include <stdlib.h>

#include "trace.h"

#define EXPORTED __attribute__((visibility("default")))

/* EACH(NAME, PARAMETERS, ARGUMENTS, BEFORE, AFTER): MPI_NAME and PMPI_NAME, which Fortran's functions of Open MPI call.
 * BEFORE and AFTER see the arguments, AFTER only if the call is written down. */
#define WRAPPER(prefix, name, parameters, arguments, before, after)          \
  EXPORTED int prefix##name parameters {                                     \
    static int(*next) parameters;                                            \
    if (__builtin_expect(next == NULL, 0)) next = trace_next(#prefix #name); \
    const int recorded = trace_enter();                                      \
    before;                                                                  \
    const double begin = trace_now();                                        \
    const int code = next arguments;                                         \
    const double end = trace_now();                                          \
    if (recorded) {                                                          \
      after;                                                                 \
    }                                                                        \
    trace_leave("MPI_" #name, begin, end);                                   \
    return code;                                                             \
  }
#define EACH(name, parameters, arguments, before, after)    \
  WRAPPER(MPI_, name, parameters, arguments, before, after) \
  WRAPPER(PMPI_, name, parameters, arguments, before, after)

static double bytes_of(int count, MPI_Datatype type) {
  static int (*type_size)(MPI_Datatype, int*);
  if (type_size == NULL) type_size = trace_next("PMPI_Type_size");
  int size = 0;
  type_size(type, &size);
  return (double)count * size;
}

/* ---- Messages */

static struct trace_operation message(const char* name, int count, MPI_Datatype type, int peer, int tag,
                                      MPI_Comm comm) {
  const int members = trace_members(comm);
  const struct trace_operation made = {name, peer == MPI_PROC_NULL ? -2 : trace_world_rank(members, peer), tag, members,
                                       bytes_of(count, type)};
  return made;
}

#define SEND_PARAMETERS (const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
#define SEND(name)                                                  \
  EACH(name, SEND_PARAMETERS, (data, count, type, to, tag, comm), , \
       trace_begin_operation(message("send", count, type, to, tag, comm), NULL))
SEND(Send)
SEND(Ssend)
EACH(Recv, (void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status),
     (data, count, type, from, tag, comm, status), ,
     trace_begin_operation(message("receive", count, type, from, tag, comm), NULL))

#define ISEND_PARAMETERS \
  (const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request)
#define ISEND(name)                                                           \
  EACH(name, ISEND_PARAMETERS, (data, count, type, to, tag, comm, request), , \
       trace_begin_operation(message("send", count, type, to, tag, comm), request))
ISEND(Isend)
ISEND(Issend)
ISEND(Irsend)
EACH(Irecv, (void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request),
     (data, count, type, from, tag, comm, request), ,
     trace_begin_operation(message("receive", count, type, from, tag, comm), request))

EACH(Send_init, ISEND_PARAMETERS, (data, count, type, to, tag, comm, request), ,
     trace_make_persistent(message("send", count, type, to, tag, comm), *request))
EACH(Recv_init, (void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request),
     (data, count, type, from, tag, comm, request), ,
     trace_make_persistent(message("receive", count, type, from, tag, comm), *request))
EACH(Start, (MPI_Request * request), (request), , trace_start_persistent(*request))
EACH(Startall, (int count, MPI_Request requests[]), (count, requests), ,
     for (int i = 0; i < count; ++i) trace_start_persistent(requests[i]))

/* ---- Collectives */

static struct trace_operation collective(const char* name, double bytes, MPI_Comm comm) {
  const struct trace_operation made = {name, -1, 0, trace_members(comm), bytes};
  return made;
}

#define COLLECTIVE(blocking, nonblocking, word, parameters, arguments, bytes)                  \
  EACH(blocking, (UNPACK parameters), (UNPACK arguments), ,                                    \
       trace_begin_operation(collective(word, bytes, comm), NULL))                             \
  EACH(nonblocking, (UNPACK parameters, MPI_Request * request), (UNPACK arguments, request), , \
       trace_begin_operation(collective(word, bytes, comm), request))
#define UNPACK(...) __VA_ARGS__
COLLECTIVE(Barrier, Ibarrier, "barrier", (MPI_Comm comm), (comm), 0)
COLLECTIVE(Bcast, Ibcast, "broadcast", (void* data, int count, MPI_Datatype type, int root, MPI_Comm comm),
           (data, count, type, root, comm), bytes_of(count, type))
COLLECTIVE(Reduce, Ireduce, "reduce",
           (const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm),
           (sent, received, count, type, op, root, comm), bytes_of(count, type))
COLLECTIVE(Allreduce, Iallreduce, "allreduce",
           (const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           (sent, received, count, type, op, comm), bytes_of(count, type))
#define EXCHANGE_PARAMETERS                                                                                \
  (const void* sent, int sent_count, MPI_Datatype sent_type, void* received, int count, MPI_Datatype type, \
   MPI_Comm comm)
#define EXCHANGE_ARGUMENTS (sent, sent_count, sent_type, received, count, type, comm)
COLLECTIVE(Allgather, Iallgather, "allgather", EXCHANGE_PARAMETERS, EXCHANGE_ARGUMENTS, bytes_of(count, type))
COLLECTIVE(Alltoall, Ialltoall, "alltoall", EXCHANGE_PARAMETERS, EXCHANGE_ARGUMENTS, bytes_of(count, type))
COLLECTIVE(Neighbor_alltoall, Ineighbor_alltoall, "neighbours", EXCHANGE_PARAMETERS, EXCHANGE_ARGUMENTS,
           bytes_of(count, type))
COLLECTIVE(Neighbor_alltoallv, Ineighbor_alltoallv, "neighbours",
           (const void* sent, const int sent_counts[], const int sent_from[], MPI_Datatype sent_type, void* received,
            const int counts[], const int at[], MPI_Datatype type, MPI_Comm comm),
           (sent, sent_counts, sent_from, sent_type, received, counts, at, type, comm), bytes_of(1, type))

/* ---- The end of operations */

/* Requests as they are before a call, which makes MPI_REQUEST_NULL of those that are over. */
static MPI_Request* copy_of(int count, const MPI_Request requests[]) {
  MPI_Request* const copy = malloc((size_t)(count > 0 ? count : 1) * sizeof *copy);
  if (copy == NULL) abort();
  for (int i = 0; i < count; ++i) copy[i] = requests[i];
  return copy;
}

#define ONE MPI_Request was = *request

EACH(Wait, (MPI_Request * request, MPI_Status* status), (request, status), ONE, trace_end_operation(was))
EACH(Test, (MPI_Request * request, int* over, MPI_Status* status), (request, over, status), ONE,
     if (*over) trace_end_operation(was))
EACH(Request_free, (MPI_Request * request), (request), ONE, trace_forget(was))

#define WRAPPER_OF_SEVERAL(prefix, name, parameters, arguments, after)       \
  EXPORTED int prefix##name parameters {                                     \
    static int(*next) parameters;                                            \
    if (__builtin_expect(next == NULL, 0)) next = trace_next(#prefix #name); \
    const int recorded = trace_enter();                                      \
    MPI_Request* const were = copy_of(count, requests);                      \
    const double begin = trace_now();                                        \
    const int code = next arguments;                                         \
    const double end = trace_now();                                          \
    if (recorded) {                                                          \
      after;                                                                 \
    }                                                                        \
    free(were);                                                              \
    trace_leave("MPI_" #name, begin, end);                                   \
    return code;                                                             \
  }
#define SEVERAL(name, parameters, arguments, after)            \
  WRAPPER_OF_SEVERAL(MPI_, name, parameters, arguments, after) \
  WRAPPER_OF_SEVERAL(PMPI_, name, parameters, arguments, after)

#define END_ALL \
  for (int i = 0; i < count; ++i) trace_end_operation(were[i])
#define END_SOME \
  for (int i = 0; i < *over && *over != MPI_UNDEFINED; ++i) trace_end_operation(were[indices[i]])
SEVERAL(Waitall, (int count, MPI_Request requests[], MPI_Status statuses[]), (count, requests, statuses), END_ALL)
SEVERAL(Testall, (int count, MPI_Request requests[], int* over, MPI_Status statuses[]),
        (count, requests, over, statuses), if (*over) END_ALL)
SEVERAL(Waitany, (int count, MPI_Request requests[], int* index, MPI_Status* status), (count, requests, index, status),
        if (*index != MPI_UNDEFINED) trace_end_operation(were[*index]))
SEVERAL(Testany, (int count, MPI_Request requests[], int* index, int* over, MPI_Status* status),
        (count, requests, index, over, status), if (*over && *index != MPI_UNDEFINED) trace_end_operation(were[*index]))
SEVERAL(Waitsome, (int count, MPI_Request requests[], int* over, int indices[], MPI_Status statuses[]),
        (count, requests, over, indices, statuses), END_SOME)
SEVERAL(Testsome, (int count, MPI_Request requests[], int* over, int indices[], MPI_Status statuses[]),
        (count, requests, over, indices, statuses), END_SOME)

/* ---- The beginning and the end */

EACH(Comm_free, (MPI_Comm * comm), (comm), trace_forget_communicator(*comm), )

EXPORTED int MPI_Init(int* argc, char*** argv) {
  int (*const next)(int*, char***) = trace_next("MPI_Init");
  const int code = next(argc, argv);
  if (code == MPI_SUCCESS) trace_start(MPI_THREAD_SINGLE);
  return code;
}

EXPORTED int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  int (*const next)(int*, char***, int, int*) = trace_next("MPI_Init_thread");
  const int code = next(argc, argv, required, provided);
  if (code == MPI_SUCCESS) trace_start(required);
  return code;
}

EXPORTED int MPI_Finalize(void) {
  int (*const next)(void) = trace_next("MPI_Finalize");
  trace_stop();
  return next();
}
