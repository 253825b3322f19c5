/*
 * ayatori_algorithm: collective algorithms in a shared library of your own.
 *
 * You write one function, ayatori_make_schedule. It is told of a call (which collective, how many ranks and bytes, where
 * the ranks are) and writes down what each rank does, step by step. What it wrote is verified: that each rank ends with
 * what the collective promises, that nothing can deadlock, that both ends of a message agree. Only then is it simulated
 * (`ayatori simulate --algorithm library:FILE:NAME`), compared with other algorithms (`ayatori choose --with
 * library:FILE:NAME`) or executed by a program. Nothing needs to be rebuilt, and the library links nothing.
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
 * How a schedule runs. Each rank has slots, numbered from 0 on: pieces of memory, of which the first ones are given by
 * the collective (below), and others are scratch. A rank works on one or several streams that advance independently of
 * each other. A stream is a sequence of steps. In a step the rank starts all sends and receives at once, waits for all
 * of them, then does the step's local operations in their order, and goes on to the next step. Two streams of a rank
 * must not touch the same slot, unless both only read it. Messages from one rank to another on one stream match in the
 * order in which they are posted. A send may wait for its receive, and no rank sends to itself.
 *
 * The slots of rank r of n. B is the number of blocks that the vector is cut into (ayatori_layout); a block ends up to
 * one byte longer than another.
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
 * All slots after these are scratch (ayatori_scratch). What a rank has elsewhere at the start is undefined, and so is
 * what is left there at the end. Operations are commutative and associative. Halos are not asked for.
 *
 * Limits. A schedule has at most 2^21 slots over all ranks, 64 streams, and 2^24 steps, messages, ranges of slots and
 * local operations together; verifying it may take 2^26 of these. An alltoall among 1024 ranks fits.
 *
 * Errors. A function that writes returns 0, or -1 when what it is asked for cannot be: then the schedule is refused with
 * a line that says what was wrong, whatever is written or returned afterwards. So results need not be checked.
 *
 * Threads. ayatori_make_schedule is called by one thread at a time. It may not keep the pointers that it is given.
 */
#ifndef AYATORI_ALGORITHM_H
#define AYATORI_ALGORITHM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define AYATORI_ALGORITHM_VERSION 1

/* The call that a schedule is wanted for. Later versions may add members at the end. */
struct ayatori_call {
    uint32_t version;       /* AYATORI_ALGORITHM_VERSION of the program that calls */
    uint32_t ranks;         /* at least 1 */
    uint32_t root;          /* of broadcast, reduce, gather, scatter; otherwise 0 */
    uint32_t machines;      /* that the ranks are on, at least 1 */
    uint32_t dimensions;    /* of the grid that the machines form; 0 if they form none */
    uint32_t reserved;      /* 0 */
    const char *collective; /* "allreduce", ... as in the table above */
    const char *algorithm;  /* NAME of library:FILE:NAME; "" if there is none */
    /* As MPI counts: of broadcast, reduce and allreduce the whole vector, of a barrier 0, of an alltoallv all pairs
     * together, of all others from one rank to (or for) one other. In bytes, or in elements where a program executes
     * schedules on elements. */
    uint64_t bytes;
    uint64_t chunk_bytes;       /* of a pipeline's pieces, if the user wants a certain size; otherwise 0 */
    const uint64_t *pair_bytes; /* of an alltoallv: ranks rows of ranks, a row a sender; otherwise NULL */
    const uint32_t *machine;    /* by rank; machines are numbered in the order of their first ranks */
    const uint32_t *group;      /* by machine: its leaf switch, chassis or dragonfly group, numbered likewise */
    const uint32_t *lengths;    /* by dimension: machines in it */
    const uint8_t *periodic;    /* by dimension: 1 if it is a ring */
    const uint32_t *point;      /* by machine: the row-major number of its point in the grid */
};

/* A schedule that is being written. Only the functions below look into it. */
struct ayatori_schedule {
    const struct ayatori_schedule_functions *functions;
};

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
 *   call         what is wanted; valid until you return
 *   schedule     to be written by the functions below; valid until you return
 * Returns 0 when the schedule is written. Returns -1, best by ayatori_refuse, if there is none for this call: that is no
 * error of yours, `ayatori choose` leaves the algorithm out then. */
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
int ayatori_make_schedule(const struct ayatori_call *call, struct ayatori_schedule *schedule);

/* Says into how many blocks the vector is cut, and how many streams there are. To be called before all other functions,
 * if at all.
 *
 *   blocks       B of the table above, from 1 on; 1 for all collectives but broadcast, reduce and allreduce
 *   streams      from 1 to 64
 * Without it both are 1. */
static inline int ayatori_layout(struct ayatori_schedule *schedule, uint32_t blocks, uint32_t streams)
{
    return schedule->functions->layout(schedule, blocks, streams);
}

/* Gives each rank one more scratch slot. To be called before the first step. A rank that does not use the slot (nor a
 * later one) needs no memory for it. There is none for alltoallv and barrier.
 *
 *   block        of broadcast, reduce and allreduce: the block that the slot is as large as; otherwise 0, and the slot is
 *                as large as all others
 * Returns the number of the slot, UINT32_MAX when it cannot be. */
static inline uint32_t ayatori_scratch(struct ayatori_schedule *schedule, uint32_t block)
{
    return schedule->functions->scratch(schedule, block);
}

/* Begins the next step of a rank. Messages and local operations that follow belong to it. Ranks may be written in any
 * order, also in turns. A rank that does nothing in some step gets an empty one only if it has later ones.
 *
 *   rank         from 0 on
 *   stream       from 0 on */
static inline int ayatori_step(struct ayatori_schedule *schedule, uint32_t rank, uint32_t stream)
{
    return schedule->functions->step(schedule, rank, stream);
}

/* Add a message to the step. Both ends say the same number of slots, of the same sizes one by one. A barrier's messages
 * have no slots.
 *
 *   to, from     the rank at the other end
 *   first        the first slot that is sent, or received into
 *   count        how many slots there are; 0 for an empty message */
static inline int ayatori_send(struct ayatori_schedule *schedule, uint32_t to, uint32_t first, uint32_t count)
{
    return schedule->functions->send(schedule, to, first, count);
}

static inline int ayatori_receive(struct ayatori_schedule *schedule, uint32_t from, uint32_t first, uint32_t count)
{
    return schedule->functions->receive(schedule, from, first, count);
}

/* Adds more slots to the message that was added last: they travel after those that it has.
 *
 *   first, count as above */
static inline int ayatori_append(struct ayatori_schedule *schedule, uint32_t first, uint32_t count)
{
    return schedule->functions->append(schedule, first, count);
}

/* Add a local operation to the step, done when all of its messages are complete:
 *
 *   ayatori_copy     slots into ... become what slots first ... hold
 *   ayatori_reduce   slots first ... are combined into slots into ...
 *
 *   first, count the slots that are read
 *   into         the first of as many slots that are written; they must not overlap */
static inline int ayatori_copy(struct ayatori_schedule *schedule, uint32_t first, uint32_t count, uint32_t into)
{
    return schedule->functions->copy(schedule, first, count, into);
}

static inline int ayatori_reduce(struct ayatori_schedule *schedule, uint32_t first, uint32_t count, uint32_t into)
{
    return schedule->functions->reduce(schedule, first, count, into);
}

/* Says why there is no schedule for this call.
 *
 *   why          one line; it is copied
 * Returns -1, to be returned. */
static inline int ayatori_refuse(struct ayatori_schedule *schedule, const char *why)
{
    return schedule->functions->refuse(schedule, why);
}

#ifdef __cplusplus
}
#endif

#endif
