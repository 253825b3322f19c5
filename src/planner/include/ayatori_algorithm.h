/*
 * ayatori_algorithm: collective algorithms in a shared library of your own.
 *
 * You write one function, ayatori_make_schedule. It gets a call (collective, ranks, bytes, placement of the ranks) and
 * writes what each rank does, step by step. Ayatori verifies the schedule: each rank ends with the postcondition of the
 * collective, nothing can deadlock, and both ends of a message agree. Then `ayatori simulate --algorithm
 * library:FILE:NAME` simulates it, `ayatori choose --with library:FILE:NAME` compares it with other algorithms, and
 * `ayatori run` executes it in programs. Nothing needs to be rebuilt, and the library links nothing.
 *
 *     #include <ayatori_algorithm.h>
 *
 *     int ayatori_make_schedule(const struct ayatori_call *call, struct ayatori_schedule *schedule)
 *     {
 *         uint32_t rank;
 *         if (strcmp(call->collective, "broadcast") != 0) return ayatori_refuse(schedule, "there is only a broadcast");
 *         for (rank = 0; rank < call->ranks; rank++) {        // the root sends its vector, slot 0, to each other rank
 *             if (rank == call->root) continue;
 *             ayatori_step(schedule, call->root, 0);
 *             ayatori_send(schedule, rank, 0, 1);
 *             ayatori_step(schedule, rank, 0);
 *             ayatori_receive(schedule, call->root, 0, 1);
 *         }
 *         return 0;
 *     }
 *
 *     cc -shared -fPIC -I PREFIX/include flat.c -o flat.so
 *
 * How a schedule is executed. Each rank has slots, numbered from 0 on: pieces of memory. The collective defines the first
 * ones (below); the others are scratch. A rank executes one or several streams, which advance independently of each
 * other. A stream is a sequence of steps. In a step the rank posts all sends and receives, waits for all of them, then
 * does the step's local operations in their order, and goes on to the next step. Two streams of a rank must not touch
 * the same slot, unless both only read it. Messages from one rank to another on one stream match in the order in which
 * they are posted. A send may wait for its receive, and no rank sends to itself.
 *
 * The slots of rank r of n. B is the number of blocks that the vector is cut into (ayatori_layout). The sizes of two
 * blocks differ by one byte at most.
 *
 *     collective      at the start                           at the end
 *     broadcast       root: 0 ... B-1                        everywhere: the root's 0 ... B-1
 *     reduce          0 ... B-1                              root: 0 ... B-1 combined over all ranks
 *     allreduce       0 ... B-1                              0 ... B-1 combined over all ranks
 *     reduce_scatter  0 ... n-1, slot j for rank j           slot r combined over all ranks
 *     allgather       slot r                                 0 ... n-1, slot j what rank j had
 *     gather          slot r                                 root: 0 ... n-1, slot j what rank j had
 *     scatter         root: 0 ... n-1, slot j for rank j     slot r, what the root had in it
 *     alltoall        0 ... n-1, slot j for rank j           n ... 2n-1, slot n+j what rank j had for r
 *     alltoallv       as alltoall; slots have the sizes of their pairs, and messages without bytes are left out
 *     barrier         no slots                               no rank ends before all have begun
 *
 * All slots after these are scratch (ayatori_scratch). The contents of other slots are undefined at the start and at the
 * end. A schedule may combine in any order: operations are commutative and associative. Ayatori requests no halos.
 *
 * Limits. A schedule has at most 2^21 slots over all ranks, 64 streams, and 2^24 steps, messages, ranges of slots and
 * local operations together; its verification takes at most 2^26 steps of work. An alltoall among 1024 ranks fits.
 *
 * Errors. A function that writes returns 0, or -1 for an invalid argument. Then Ayatori refuses the schedule with a line
 * that says what was wrong, whatever is written or returned afterwards. So results need not be checked.
 *
 * Threads and ownership. One thread at a time calls ayatori_make_schedule. The caller owns all memory that it passes;
 * the pointers are valid until ayatori_make_schedule returns.
 */
#ifndef AYATORI_ALGORITHM_H
#define AYATORI_ALGORITHM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define AYATORI_ALGORITHM_VERSION 1

/* The call for which a schedule is requested. Later versions may add members at the end. */
struct ayatori_call {
    uint32_t version;       /* AYATORI_ALGORITHM_VERSION of the program that calls */
    uint32_t ranks;         /* at least 1 */
    uint32_t root;          /* of broadcast, reduce, gather, scatter; otherwise 0 */
    uint32_t machines;      /* that the ranks are on, at least 1 */
    uint32_t dimensions;    /* of the grid that the machines form; 0 if they form none */
    uint32_t reserved;      /* 0 */
    const char *collective; /* "allreduce", ... as in the table above */
    const char *algorithm;  /* NAME of library:FILE:NAME; "" if there is none */
    /* As MPI counts. Broadcast, reduce and allreduce: the whole vector. Barrier: 0. Alltoallv: all pairs together. All
     * others: from one rank to (or for) one other. The unit is bytes, or elements of the datatype if a program executes
     * the schedule. */
    uint64_t bytes;
    uint64_t chunk_bytes;       /* size of a pipeline's chunks if the user sets it; otherwise 0 */
    const uint64_t *pair_bytes; /* of an alltoallv: ranks rows of ranks, a row a sender; otherwise NULL */
    const uint32_t *machine;    /* by rank; machines are numbered in the order of their first ranks */
    const uint32_t *group;      /* by machine: its leaf switch, chassis or dragonfly group, numbered likewise */
    const uint32_t *lengths;    /* by dimension: machines in it */
    const uint8_t *periodic;    /* by dimension: 1 if it is a ring */
    const uint32_t *point;      /* by machine: the row-major number of its point in the grid */
};

/* A schedule that is being written. Opaque: use the functions below. */
struct ayatori_schedule {
    const struct ayatori_schedule_functions *functions;
};

/* For the functions below; do not call these pointers yourself. */
struct ayatori_schedule_functions {
    uint32_t version;
    int (*layout)(struct ayatori_schedule *, uint32_t blocks, uint32_t streams);
    uint32_t (*scratch)(struct ayatori_schedule *, uint32_t block);
    int (*step)(struct ayatori_schedule *, uint32_t rank, uint32_t stream);
    int (*send)(struct ayatori_schedule *, uint32_t to, uint32_t first, uint32_t count);
    int (*receive)(struct ayatori_schedule *, uint32_t from, uint32_t first, uint32_t count);
    int (*append)(struct ayatori_schedule *, uint32_t first, uint32_t count);
    int (*copy)(struct ayatori_schedule *, uint32_t first, uint32_t count, uint32_t into);
    int (*reduce)(struct ayatori_schedule *, uint32_t first, uint32_t count, uint32_t into);
    int (*refuse)(struct ayatori_schedule *, const char *why);
};

/* The function that your library defines.
 *
 *   call         the request; valid until you return
 *   schedule     to be written by the functions below; valid until you return
 * Returns 0 when the schedule is written. Returns -1, preferably by ayatori_refuse, if there is none for this call.
 * `ayatori choose` then leaves the algorithm out. */
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
int ayatori_make_schedule(const struct ayatori_call *call, struct ayatori_schedule *schedule);

/* Sets the number of blocks of the vector and the number of streams. Optional; call it before all other functions.
 *
 *   blocks       B of the table above, from 1 on; 1 for all collectives but broadcast, reduce and allreduce
 *   streams      from 1 to 64
 * Without it both are 1. Returns 0, or -1 on an error. */
static inline int ayatori_layout(struct ayatori_schedule *schedule, uint32_t blocks, uint32_t streams)
{
    return schedule->functions->layout(schedule, blocks, streams);
}

/* Adds one scratch slot to each rank. Call it before the first step. A rank that uses neither this slot nor a later one
 * needs no memory for it. Alltoallv and barrier have no scratch slots.
 *
 *   block        broadcast, reduce and allreduce: the slot gets the size of this block; otherwise 0, and the slot has the
 *                size of all others
 * Returns the number of the slot, UINT32_MAX on an error. */
static inline uint32_t ayatori_scratch(struct ayatori_schedule *schedule, uint32_t block)
{
    return schedule->functions->scratch(schedule, block);
}

/* Begins the next step of a rank. The following messages and local operations belong to it. The ranks'
 * steps may be written in any order, also interleaved. A rank without work in a step needs an empty step only if it
 * has later steps. Returns 0, or -1 on an error.
 *
 *   rank         from 0 on
 *   stream       from 0 on */
static inline int ayatori_step(struct ayatori_schedule *schedule, uint32_t rank, uint32_t stream)
{
    return schedule->functions->step(schedule, rank, stream);
}

/* Add a message to the step. Both ends give the same number of slots, with the same sizes one by one. Messages of a
 * barrier have no slots.
 *
 *   to, from     the rank at the other end
 *   first        the first slot to send, or to receive into
 *   count        the number of slots; 0 for an empty message
 * Return 0, or -1 on an error, as all functions below. */
static inline int ayatori_send(struct ayatori_schedule *schedule, uint32_t to, uint32_t first, uint32_t count)
{
    return schedule->functions->send(schedule, to, first, count);
}

static inline int ayatori_receive(struct ayatori_schedule *schedule, uint32_t from, uint32_t first, uint32_t count)
{
    return schedule->functions->receive(schedule, from, first, count);
}

/* Appends slots to the message that was added last.
 *
 *   first, count as above */
static inline int ayatori_append(struct ayatori_schedule *schedule, uint32_t first, uint32_t count)
{
    return schedule->functions->append(schedule, first, count);
}

/* Add a local operation to the step. It starts when all messages of the step are complete.
 *
 *   ayatori_copy     copies slots first ... to slots into ...
 *   ayatori_reduce   combines slots first ... into slots into ...
 *
 *   first, count the slots to read
 *   into         the first of as many slots to write; the two ranges must not overlap */
static inline int ayatori_copy(struct ayatori_schedule *schedule, uint32_t first, uint32_t count, uint32_t into)
{
    return schedule->functions->copy(schedule, first, count, into);
}

static inline int ayatori_reduce(struct ayatori_schedule *schedule, uint32_t first, uint32_t count, uint32_t into)
{
    return schedule->functions->reduce(schedule, first, count, into);
}

/* Refuses the call: there is no schedule for it.
 *
 *   why          one line, for the user; it is copied
 * Returns -1, which your function returns. */
static inline int ayatori_refuse(struct ayatori_schedule *schedule, const char *why)
{
    return schedule->functions->refuse(schedule, why);
}

#ifdef __cplusplus
}
#endif

#endif
