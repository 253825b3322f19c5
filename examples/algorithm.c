/*
 * Two collective algorithms in a shared library (src/planner/include/ayatori_algorithm.h), which ayatori loads, verifies, simulates,
 * compares with its own, and executes:
 *
 *     cc -shared -fPIC algorithm.c -o algorithm.so
 *     ayatori simulate fattree:K=6,levels=2,nodes=30 --ppn 4 --collective broadcast --algorithm library:algorithm.so:two-level
 *     ayatori choose fattree:K=6,levels=2,nodes=30 --collective broadcast --with library:algorithm.so:two-level
 *
 * two-level    a broadcast that reaches each machine once: along a binomial tree among one rank of each machine, which
 *              then hand the vector to the other ranks of their machines
 * doubling     an allreduce among a power of two of ranks: in step s each exchanges all that it has with rank xor 2^s
 */
#include <stdlib.h>
#include <string.h>

#include "ayatori_algorithm.h"

/* One rank of each machine: the root of its own, the first one of the others. */
static uint32_t *leaders_of(const struct ayatori_call *call)
{
    uint32_t *leaders = malloc(call->machines * sizeof *leaders);
    uint32_t rank;

    if (leaders == NULL) return NULL;
    for (rank = call->ranks; rank-- > 0;) leaders[call->machine[rank]] = rank;
    leaders[call->machine[call->root]] = call->root;
    return leaders;
}

static void transfer(struct ayatori_schedule *schedule, uint32_t from, uint32_t to)
{
    ayatori_step(schedule, from, 0);
    ayatori_send(schedule, to, 0, 1);
    ayatori_step(schedule, to, 0);
    ayatori_receive(schedule, from, 0, 1);
}

/* The steps of a rank are those that are written for it, in this order; they need not have the same number at both ends
 * of a message. */
static int make_two_level(const struct ayatori_call *call, struct ayatori_schedule *schedule)
{
    uint32_t *leaders = leaders_of(call);
    uint32_t first = call->machine[call->root], n = call->machines, have, machine, rank;

    if (leaders == NULL) return ayatori_refuse(schedule, "out of memory");
    for (have = 1; have < n; have *= 2) {
        for (machine = 0; machine < have && machine + have < n; machine++)
            transfer(schedule, leaders[(first + machine) % n], leaders[(first + machine + have) % n]);
    }
    for (rank = 0; rank < call->ranks; rank++) {
        if (leaders[call->machine[rank]] != rank) transfer(schedule, leaders[call->machine[rank]], rank);
    }
    free(leaders);
    return 0;
}

static int make_doubling(const struct ayatori_call *call, struct ayatori_schedule *schedule)
{
    uint32_t rank, distance, theirs;

    if (call->ranks & (call->ranks - 1)) return ayatori_refuse(schedule, "the number of ranks is no power of two");
    theirs = ayatori_scratch(schedule, 0);
    for (rank = 0; rank < call->ranks; rank++) {
        for (distance = 1; distance < call->ranks; distance *= 2) {
            ayatori_step(schedule, rank, 0);
            ayatori_send(schedule, rank ^ distance, 0, 1);
            ayatori_receive(schedule, rank ^ distance, theirs, 1);
            ayatori_reduce(schedule, theirs, 1, 0);
        }
    }
    return 0;
}

int ayatori_make_schedule(const struct ayatori_call *call, struct ayatori_schedule *schedule)
{
    if (strcmp(call->collective, "broadcast") == 0 && strcmp(call->algorithm, "two-level") == 0)
        return make_two_level(call, schedule);
    if (strcmp(call->collective, "allreduce") == 0 && strcmp(call->algorithm, "doubling") == 0)
        return make_doubling(call, schedule);
    return ayatori_refuse(schedule, "there are two-level (broadcast) and doubling (allreduce)");
}
