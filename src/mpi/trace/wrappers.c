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

static double bytes_of(MPI_Count count, MPI_Datatype type) {
  static int (*type_size)(MPI_Datatype, int*);
  if (type_size == NULL) type_size = trace_next("PMPI_Type_size");
  int size = 0;
  type_size(type, &size);
  return (double)count * size;
}

/* ---- Messages. C and COUNT: what follows a function's name, and the type of its counts (MPI_Send, MPI_Send_c). */

static struct trace_operation message(const char* name, MPI_Count count, MPI_Datatype type, int peer, int tag,
                                      MPI_Comm comm) {
  const int members = trace_members(comm);
  const struct trace_operation made = {name, peer == MPI_PROC_NULL ? -2 : trace_world_rank(members, peer), tag, members,
                                       bytes_of(count, type)};
  return made;
}

#define SEND(name, COUNT)                                                                        \
  EACH(name, (const void* data, COUNT count, MPI_Datatype type, int to, int tag, MPI_Comm comm), \
       (data, count, type, to, tag, comm), , trace_begin_operation(message("send", count, type, to, tag, comm), NULL))
#define WITH_REQUEST(name, COUNT, data_type, peer, after)                                                          \
  EACH(name,                                                                                                       \
       (data_type * data, COUNT count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request* request), \
       (data, count, type, peer, tag, comm, request), , after)
#define ISEND(name, COUNT) \
  WITH_REQUEST(name, COUNT, const void, to, trace_begin_operation(message("send", count, type, to, tag, comm), request))
#define SEND_INIT(name, COUNT)              \
  WITH_REQUEST(name, COUNT, const void, to, \
               trace_make_persistent(message("send", count, type, to, tag, comm), *request))
#define MESSAGES(C, COUNT)                                                                                          \
  SEND(Send##C, COUNT)                                                                                              \
  SEND(Ssend##C, COUNT)                                                                                             \
  SEND(Rsend##C, COUNT)                                                                                             \
  SEND(Bsend##C, COUNT)                                                                                             \
  EACH(Recv##C, (void* data, COUNT count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status), \
       (data, count, type, from, tag, comm, status), ,                                                              \
       trace_begin_operation(message("receive", count, type, from, tag, comm), NULL))                               \
  EACH(Sendrecv##C,                                                                                                 \
       (const void* sent, COUNT sent_count, MPI_Datatype sent_type, int to, int sent_tag, void* data, COUNT count,  \
        MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status),                                   \
       (sent, sent_count, sent_type, to, sent_tag, data, count, type, from, tag, comm, status), ,                   \
       trace_begin_operation(message("send", sent_count, sent_type, to, sent_tag, comm), NULL);                     \
       trace_begin_operation(message("receive", count, type, from, tag, comm), NULL))                               \
  ISEND(Isend##C, COUNT)                                                                                            \
  ISEND(Issend##C, COUNT)                                                                                           \
  ISEND(Irsend##C, COUNT)                                                                                           \
  ISEND(Ibsend##C, COUNT)                                                                                           \
  WITH_REQUEST(Irecv##C, COUNT, void, from,                                                                         \
               trace_begin_operation(message("receive", count, type, from, tag, comm), request))                    \
  SEND_INIT(Send_init##C, COUNT)                                                                                    \
  SEND_INIT(Ssend_init##C, COUNT)                                                                                   \
  SEND_INIT(Rsend_init##C, COUNT)                                                                                   \
  SEND_INIT(Bsend_init##C, COUNT)                                                                                   \
  WITH_REQUEST(Recv_init##C, COUNT, void, from,                                                                     \
               trace_make_persistent(message("receive", count, type, from, tag, comm), *request))

MESSAGES(, int)
#if MPI_VERSION >= 4
MESSAGES(_c, MPI_Count)
#endif
EACH(Start, (MPI_Request * request), (request), , trace_start_persistent(*request))
EACH(Startall, (int count, MPI_Request requests[]), (count, requests), ,
     for (int i = 0; i < count; ++i) trace_start_persistent(requests[i]))

/* ---- Collectives. AT: the type of displacements. Bytes are those of the vector, or of a block: of the mean one where
 * blocks have sizes of their own. */

static struct trace_operation collective(const char* name, double bytes, MPI_Comm comm) {
  const struct trace_operation made = {name, -1, 0, trace_members(comm), bytes};
  return made;
}

#define SUMS(COUNT)                                                                     \
  static double bytes_of_##COUNT(const COUNT counts[], int blocks, MPI_Datatype type) { \
    double sum = 0;                                                                     \
    for (int i = 0; i < blocks; ++i) sum += (double)counts[i];                          \
    return sum * bytes_of(1, type);                                                     \
  }                                                                                     \
  static double mean_of_##COUNT(const COUNT counts[], int blocks, MPI_Datatype type) {  \
    return blocks > 0 ? bytes_of_##COUNT(counts, blocks, type) / blocks : 0;            \
  }
SUMS(int)

static int blocks_of(MPI_Comm comm) { return trace_member_count(trace_members(comm)); }

static int neighbours_of(MPI_Comm comm) {
  int (*const topo_test)(MPI_Comm, int*) = trace_next("PMPI_Topo_test");
  int (*const cartdim_get)(MPI_Comm, int*) = trace_next("PMPI_Cartdim_get");
  int (*const comm_rank)(MPI_Comm, int*) = trace_next("PMPI_Comm_rank");
  int (*const graph_count)(MPI_Comm, int, int*) = trace_next("PMPI_Graph_neighbors_count");
  int (*const dist_graph_count)(MPI_Comm, int*, int*, int*) = trace_next("PMPI_Dist_graph_neighbors_count");
  int kind = MPI_UNDEFINED;
  int count = 0;
  int self = 0;
  int receivers = 0;
  int is_weighted = 0;
  topo_test(comm, &kind);
  if (kind == MPI_CART && cartdim_get(comm, &count) == MPI_SUCCESS) return 2 * count;
  if (kind == MPI_GRAPH && comm_rank(comm, &self) == MPI_SUCCESS) graph_count(comm, self, &count);
  if (kind == MPI_DIST_GRAPH) dist_graph_count(comm, &count, &receivers, &is_weighted);
  return count;
}

/* In place a process gives what is where it gets something. */
static double either(const void* sent, double of_sent, double of_received) {
  return sent == MPI_IN_PLACE ? of_received : of_sent;
}

#define COLLECTIVE(blocking, nonblocking, word, parameters, arguments, bytes)                  \
  EACH(blocking, (UNPACK parameters), (UNPACK arguments), ,                                    \
       trace_begin_operation(collective(word, bytes, comm), NULL))                             \
  EACH(nonblocking, (UNPACK parameters, MPI_Request * request), (UNPACK arguments, request), , \
       trace_begin_operation(collective(word, bytes, comm), request))
#define UNPACK(...) __VA_ARGS__
#define EXCHANGE(blocking, nonblocking, word, COUNT)                                                   \
  COLLECTIVE(blocking, nonblocking, word,                                                              \
             (const void* sent, COUNT sent_count, MPI_Datatype sent_type, void* received, COUNT count, \
              MPI_Datatype type, MPI_Comm comm),                                                       \
             (sent, sent_count, sent_type, received, count, type, comm), bytes_of(count, type))
#define ROOTED(blocking, nonblocking, word, COUNT, bytes)                                              \
  COLLECTIVE(blocking, nonblocking, word,                                                              \
             (const void* sent, COUNT sent_count, MPI_Datatype sent_type, void* received, COUNT count, \
              MPI_Datatype type, int root, MPI_Comm comm),                                             \
             (sent, sent_count, sent_type, received, count, type, root, comm), bytes)
#define REDUCTION(blocking, nonblocking, word, COUNT, bytes)                                               \
  COLLECTIVE(blocking, nonblocking, word,                                                                  \
             (const void* sent, void* received, COUNT count, MPI_Datatype type, MPI_Op op, MPI_Comm comm), \
             (sent, received, count, type, op, comm), bytes)
#define SIZED_EXCHANGE(blocking, nonblocking, word, COUNT, AT, bytes)                                    \
  COLLECTIVE(blocking, nonblocking, word,                                                                \
             (const void* sent, const COUNT sent_counts[], const AT sent_from[], MPI_Datatype sent_type, \
              void* received, const COUNT counts[], const AT at[], MPI_Datatype type, MPI_Comm comm),    \
             (sent, sent_counts, sent_from, sent_type, received, counts, at, type, comm), bytes)
#define COLLECTIVES(C, COUNT, AT)                                                                                      \
  COLLECTIVE(Bcast##C, Ibcast##C, "broadcast", (void* data, COUNT count, MPI_Datatype type, int root, MPI_Comm comm),  \
             (data, count, type, root, comm), bytes_of(count, type))                                                   \
  COLLECTIVE(Reduce##C, Ireduce##C, "reduce",                                                                          \
             (const void* sent, void* received, COUNT count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm),   \
             (sent, received, count, type, op, root, comm), bytes_of(count, type))                                     \
  REDUCTION(Allreduce##C, Iallreduce##C, "allreduce", COUNT, bytes_of(count, type))                                    \
  REDUCTION(Scan##C, Iscan##C, "scan", COUNT, bytes_of(count, type))                                                   \
  REDUCTION(Exscan##C, Iexscan##C, "scan", COUNT, bytes_of(count, type))                                               \
  REDUCTION(Reduce_scatter_block##C, Ireduce_scatter_block##C, "reduce-scatter", COUNT,                                \
            bytes_of(count, type) * blocks_of(comm))                                                                   \
  COLLECTIVE(Reduce_scatter##C, Ireduce_scatter##C, "reduce-scatter",                                                  \
             (const void* sent, void* received, const COUNT counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm),    \
             (sent, received, counts, type, op, comm), bytes_of_##COUNT(counts, blocks_of(comm), type))                \
  ROOTED(Gather##C, Igather##C, "gather", COUNT, either(sent, bytes_of(sent_count, sent_type), bytes_of(count, type))) \
  ROOTED(Scatter##C, Iscatter##C, "scatter", COUNT,                                                                    \
         either(received, bytes_of(count, type), bytes_of(sent_count, sent_type)))                                     \
  COLLECTIVE(Gatherv##C, Igatherv##C, "gather",                                                                        \
             (const void* sent, COUNT sent_count, MPI_Datatype sent_type, void* received, const COUNT counts[],        \
              const AT at[], MPI_Datatype type, int root, MPI_Comm comm),                                              \
             (sent, sent_count, sent_type, received, counts, at, type, root, comm),                                    \
             either(sent, bytes_of(sent_count, sent_type), 0))                                                         \
  COLLECTIVE(Scatterv##C, Iscatterv##C, "scatter",                                                                     \
             (const void* sent, const COUNT counts[], const AT from[], MPI_Datatype sent_type, void* received,         \
              COUNT count, MPI_Datatype type, int root, MPI_Comm comm),                                                \
             (sent, counts, from, sent_type, received, count, type, root, comm),                                       \
             either(received, bytes_of(count, type), 0))                                                               \
  EXCHANGE(Allgather##C, Iallgather##C, "allgather", COUNT)                                                            \
  COLLECTIVE(Allgatherv##C, Iallgatherv##C, "allgather",                                                               \
             (const void* sent, COUNT sent_count, MPI_Datatype sent_type, void* received, const COUNT counts[],        \
              const AT at[], MPI_Datatype type, MPI_Comm comm),                                                        \
             (sent, sent_count, sent_type, received, counts, at, type, comm),                                          \
             mean_of_##COUNT(counts, blocks_of(comm), type))                                                           \
  EXCHANGE(Alltoall##C, Ialltoall##C, "alltoall", COUNT)                                                               \
  SIZED_EXCHANGE(Alltoallv##C, Ialltoallv##C, "alltoall", COUNT, AT, mean_of_##COUNT(counts, blocks_of(comm), type))   \
  EXCHANGE(Neighbor_allgather##C, Ineighbor_allgather##C, "neighbours", COUNT)                                         \
  EXCHANGE(Neighbor_alltoall##C, Ineighbor_alltoall##C, "neighbours", COUNT)                                           \
  SIZED_EXCHANGE(Neighbor_alltoallv##C, Ineighbor_alltoallv##C, "neighbours", COUNT, AT,                               \
                 mean_of_##COUNT(counts, neighbours_of(comm), type))

COLLECTIVE(Barrier, Ibarrier, "barrier", (MPI_Comm comm), (comm), 0)
COLLECTIVES(, int, int)
#if MPI_VERSION >= 4
SUMS(MPI_Count)
COLLECTIVES(_c, MPI_Count, MPI_Aint)
#endif

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
