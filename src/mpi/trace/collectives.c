/* Collectives, of neighbours, too. */

#include <stdlib.h>
#include <string.h>

#include "wrappers.h"

/* AT: the type of displacements. Bytes are those of the vector, or of a block: of the mean one where
 * blocks have sizes of their own. */

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

/* To whom a process sends in collectives of neighbours: a number of trace_group(). */
static int receivers_of(MPI_Comm comm, int members) {
  int (*const topo_test)(MPI_Comm, int*) = trace_next("PMPI_Topo_test");
  int (*const cart_shift)(MPI_Comm, int, int, int*, int*) = trace_next("PMPI_Cart_shift");
  int (*const comm_rank)(MPI_Comm, int*) = trace_next("PMPI_Comm_rank");
  int (*const graph)(MPI_Comm, int, int, int[]) = trace_next("PMPI_Graph_neighbors");
  int (*const dist_graph)(MPI_Comm, int, int[], int[], int, int[], int[]) = trace_next("PMPI_Dist_graph_neighbors");
  int (*const dist_graph_count)(MPI_Comm, int*, int*, int*) = trace_next("PMPI_Dist_graph_neighbors_count");
  int kind = MPI_UNDEFINED;
  int self = 0;
  int senders = 0;
  int is_weighted = 0;
  int count = neighbours_of(comm);
  topo_test(comm, &kind);
  comm_rank(comm, &self);
  if (kind == MPI_DIST_GRAPH) dist_graph_count(comm, &senders, &count, &is_weighted);
  const size_t room = (size_t)(count + senders + 2);
  int* const ranks = malloc(room * sizeof *ranks);
  int* const others = malloc(4 * room * sizeof *others);
  if (ranks == NULL || others == NULL) abort();
  for (int i = 0; kind == MPI_CART && i < count / 2; ++i) cart_shift(comm, i, 1, &ranks[2 * i], &ranks[2 * i + 1]);
  if (kind == MPI_GRAPH) graph(comm, self, count, ranks);
  if (kind == MPI_DIST_GRAPH) {
    dist_graph(comm, senders, others, others + room, count, ranks, others + 2 * room);
  }
  int known = 0;
  for (int i = 0; i < count; ++i) {
    const int world = trace_world_rank(members, ranks[i]);
    if (world >= 0) ranks[known++] = world;
  }
  const int number = trace_group(known, ranks);
  free(others);
  free(ranks);
  return number;
}

static struct trace_operation collective(const char* name, int root, double bytes, MPI_Comm comm) {
  const int members = trace_members(comm);
  const int receivers = strcmp(name, "neighbours") == 0 ? receivers_of(comm, members) : 0;
  const struct trace_operation made = {name, root < 0 ? -1 : trace_world_rank(members, root), receivers, members,
                                       bytes};
  return made;
}

#define SUMS(COUNT)                                                                                \
  static double bytes_of_##COUNT(const COUNT counts[], int blocks, MPI_Datatype type) {            \
    double sum = 0;                                                                                \
    for (int i = 0; i < blocks; ++i) sum += (double)counts[i];                                     \
    return sum * bytes_of(1, type);                                                                \
  }                                                                                                \
  static double mean_of_##COUNT(const COUNT counts[], int blocks, MPI_Datatype type) {             \
    return blocks > 0 ? bytes_of_##COUNT(counts, blocks, type) / blocks : 0;                       \
  }                                                                                                \
  static double mean_typed_##COUNT(const COUNT counts[], int blocks, const MPI_Datatype types[]) { \
    double sum = 0;                                                                                \
    for (int i = 0; i < blocks; ++i) sum += bytes_of(counts[i], types[i]);                         \
    return blocks > 0 ? sum / blocks : 0;                                                          \
  }
SUMS(int)

static int blocks_of(MPI_Comm comm) { return trace_member_count(trace_members(comm)); }

/* In place a process gives what is where it gets something. The other arguments need not be valid then. */
#define EITHER(buffer, other_bytes, bytes) ((buffer) == MPI_IN_PLACE ? (other_bytes) : (bytes))

/* The blocking, nonblocking and persistent form. C: what follows their names. ROOT: -1 if there is none. */
#define COLLECTIVE(blocking, nonblocking, C, word, parameters, arguments, root, bytes)            \
  EACH(blocking##C, (UNPACK parameters), (UNPACK arguments), ,                                    \
       trace_begin_operation(collective(word, root, bytes, comm), NULL))                          \
  EACH(nonblocking##C, (UNPACK parameters, MPI_Request * request), (UNPACK arguments, request), , \
       trace_begin_operation(collective(word, root, bytes, comm), request))                       \
  PERSISTENT(blocking##_init##C, (UNPACK parameters, MPI_Info info, MPI_Request * request),       \
             (UNPACK arguments, info, request), trace_make_persistent(collective(word, root, bytes, comm), *request))
#if MPI_VERSION >= 4
#define PERSISTENT(name, parameters, arguments, after) EACH(name, parameters, arguments, , after)
#else
#define PERSISTENT(name, parameters, arguments, after)
#endif
#define EXCHANGE(blocking, nonblocking, C, word, COUNT)                                                \
  COLLECTIVE(blocking, nonblocking, C, word,                                                           \
             (const void* sent, COUNT sent_count, MPI_Datatype sent_type, void* received, COUNT count, \
              MPI_Datatype type, MPI_Comm comm),                                                       \
             (sent, sent_count, sent_type, received, count, type, comm), -1, bytes_of(count, type))
#define ROOTED(blocking, nonblocking, C, word, COUNT, bytes)                                           \
  COLLECTIVE(blocking, nonblocking, C, word,                                                           \
             (const void* sent, COUNT sent_count, MPI_Datatype sent_type, void* received, COUNT count, \
              MPI_Datatype type, int root, MPI_Comm comm),                                             \
             (sent, sent_count, sent_type, received, count, type, root, comm), root, bytes)
#define REDUCTION(blocking, nonblocking, C, word, COUNT, bytes)                                            \
  COLLECTIVE(blocking, nonblocking, C, word,                                                               \
             (const void* sent, void* received, COUNT count, MPI_Datatype type, MPI_Op op, MPI_Comm comm), \
             (sent, received, count, type, op, comm), -1, bytes)
#define SIZED_GATHER(blocking, nonblocking, C, word, COUNT, AT, bytes)                                          \
  COLLECTIVE(blocking, nonblocking, C, word,                                                                    \
             (const void* sent, COUNT sent_count, MPI_Datatype sent_type, void* received, const COUNT counts[], \
              const AT at[], MPI_Datatype type, MPI_Comm comm),                                                 \
             (sent, sent_count, sent_type, received, counts, at, type, comm), -1, bytes)
#define SIZED_EXCHANGE(blocking, nonblocking, C, word, COUNT, AT, bytes)                                 \
  COLLECTIVE(blocking, nonblocking, C, word,                                                             \
             (const void* sent, const COUNT sent_counts[], const AT sent_from[], MPI_Datatype sent_type, \
              void* received, const COUNT counts[], const AT at[], MPI_Datatype type, MPI_Comm comm),    \
             (sent, sent_counts, sent_from, sent_type, received, counts, at, type, comm), -1, bytes)
#define TYPED_EXCHANGE(blocking, nonblocking, C, word, COUNT, AT, bytes)                                          \
  COLLECTIVE(blocking, nonblocking, C, word,                                                                      \
             (const void* sent, const COUNT sent_counts[], const AT sent_from[], const MPI_Datatype sent_types[], \
              void* received, const COUNT counts[], const AT at[], const MPI_Datatype types[], MPI_Comm comm),    \
             (sent, sent_counts, sent_from, sent_types, received, counts, at, types, comm), -1, bytes)
#define COLLECTIVES(C, COUNT, AT)                                                                                     \
  COLLECTIVE(Bcast, Ibcast, C, "broadcast", (void* data, COUNT count, MPI_Datatype type, int root, MPI_Comm comm),    \
             (data, count, type, root, comm), root, bytes_of(count, type))                                            \
  COLLECTIVE(Reduce, Ireduce, C, "reduce",                                                                            \
             (const void* sent, void* received, COUNT count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm),  \
             (sent, received, count, type, op, root, comm), root, bytes_of(count, type))                              \
  REDUCTION(Allreduce, Iallreduce, C, "allreduce", COUNT, bytes_of(count, type))                                      \
  REDUCTION(Scan, Iscan, C, "scan", COUNT, bytes_of(count, type))                                                     \
  REDUCTION(Exscan, Iexscan, C, "scan", COUNT, bytes_of(count, type))                                                 \
  REDUCTION(Reduce_scatter_block, Ireduce_scatter_block, C, "reduce-scatter", COUNT,                                  \
            bytes_of(count, type) * blocks_of(comm))                                                                  \
  COLLECTIVE(Reduce_scatter, Ireduce_scatter, C, "reduce-scatter",                                                    \
             (const void* sent, void* received, const COUNT counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm),   \
             (sent, received, counts, type, op, comm), -1, bytes_of_##COUNT(counts, blocks_of(comm), type))           \
  ROOTED(Gather, Igather, C, "gather", COUNT, EITHER(sent, bytes_of(count, type), bytes_of(sent_count, sent_type)))   \
  ROOTED(Scatter, Iscatter, C, "scatter", COUNT,                                                                      \
         EITHER(received, bytes_of(sent_count, sent_type), bytes_of(count, type)))                                    \
  COLLECTIVE(Gatherv, Igatherv, C, "gather",                                                                          \
             (const void* sent, COUNT sent_count, MPI_Datatype sent_type, void* received, const COUNT counts[],       \
              const AT at[], MPI_Datatype type, int root, MPI_Comm comm),                                             \
             (sent, sent_count, sent_type, received, counts, at, type, root, comm), root,                             \
             EITHER(sent, 0, bytes_of(sent_count, sent_type)))                                                        \
  COLLECTIVE(Scatterv, Iscatterv, C, "scatter",                                                                       \
             (const void* sent, const COUNT counts[], const AT from[], MPI_Datatype sent_type, void* received,        \
              COUNT count, MPI_Datatype type, int root, MPI_Comm comm),                                               \
             (sent, counts, from, sent_type, received, count, type, root, comm), root,                                \
             EITHER(received, 0, bytes_of(count, type)))                                                              \
  EXCHANGE(Allgather, Iallgather, C, "allgather", COUNT)                                                              \
  SIZED_GATHER(Allgatherv, Iallgatherv, C, "allgather", COUNT, AT, mean_of_##COUNT(counts, blocks_of(comm), type))    \
  EXCHANGE(Alltoall, Ialltoall, C, "alltoall", COUNT)                                                                 \
  SIZED_EXCHANGE(Alltoallv, Ialltoallv, C, "alltoall", COUNT, AT, mean_of_##COUNT(counts, blocks_of(comm), type))     \
  TYPED_EXCHANGE(Alltoallw, Ialltoallw, C, "alltoall", COUNT, AT, mean_typed_##COUNT(counts, blocks_of(comm), types)) \
  EXCHANGE(Neighbor_allgather, Ineighbor_allgather, C, "neighbours", COUNT)                                           \
  SIZED_GATHER(Neighbor_allgatherv, Ineighbor_allgatherv, C, "neighbours", COUNT, AT,                                 \
               mean_of_##COUNT(counts, neighbours_of(comm), type))                                                    \
  EXCHANGE(Neighbor_alltoall, Ineighbor_alltoall, C, "neighbours", COUNT)                                             \
  SIZED_EXCHANGE(Neighbor_alltoallv, Ineighbor_alltoallv, C, "neighbours", COUNT, AT,                                 \
                 mean_of_##COUNT(counts, neighbours_of(comm), type))                                                  \
  TYPED_EXCHANGE(Neighbor_alltoallw, Ineighbor_alltoallw, C, "neighbours", COUNT, MPI_Aint,                           \
                 mean_typed_##COUNT(counts, neighbours_of(comm), types))

COLLECTIVE(Barrier, Ibarrier, , "barrier", (MPI_Comm comm), (comm), -1, 0)
COLLECTIVES(, int, int)
#if MPI_VERSION >= 4
SUMS(MPI_Count)
COLLECTIVES(_c, MPI_Count, MPI_Aint)
#endif
