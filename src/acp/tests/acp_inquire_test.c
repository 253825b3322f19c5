/* A ping-pong that polls with acp_inquire alone, between two processes on one core. A process that polls yields: it
 * calls a few times until the other one runs, not for a whole time slice. */
#define _GNU_SOURCE
#include <sched.h>

#include "check.h"

enum { rounds = 100, max_polls_of_a_round = 300 };

static uint64_t inbox, outbox;
static long polls;

static void use_first_core(void) {
    cpu_set_t allowed, one;
    CPU_ZERO(&one);
    CHECK(sched_getaffinity(0, sizeof allowed, &allowed) == 0);
    for (int core = 0; core < CPU_SETSIZE; ++core) {
        if (!CPU_ISSET(core, &allowed)) continue;
        CPU_SET(core, &one);
        break;
    }
    CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
}

static int open_still(acp_handle_t handle) {
    ++polls;
    return acp_inquire(handle);
}

int main(void) {
    use_first_core();
    CHECK(acp_init(NULL, NULL) == 0);
    const int me = acp_rank();
    const acp_ga_t mine = acp_query_starter_ga(me), there = acp_query_starter_ga(1 - me);
    uint64_t *words = acp_query_address(mine);
    words[0] = acp_query_ga(acp_register_memory(&inbox, sizeof inbox, 0), &inbox);
    const acp_ga_t from = acp_query_ga(acp_register_memory(&outbox, sizeof outbox, 0), &outbox);
    CHECK(acp_sync() == 0);
    CHECK(acp_complete(acp_copy(mine + 8, there, 8, ACP_HANDLE_NULL)) == 0);
    CHECK(acp_sync() == 0);
    for (uint64_t round = 1; round <= rounds; ++round) {
        if (me == 1) {
            while (seen(&inbox) != round) open_still(ACP_HANDLE_ALL);
        }
        outbox = round;
        const acp_handle_t put = acp_copy(words[1], from, sizeof outbox, ACP_HANDLE_NULL);
        while (open_still(put)) continue;
        if (me == 0) {
            while (seen(&inbox) != round) open_still(ACP_HANDLE_ALL);
        }
    }
    CHECK(polls < (long)rounds * max_polls_of_a_round);
    if (failures() != 0) fprintf(stderr, "rank %d: %ld polls in %d rounds\n", me, polls, rounds);
    CHECK(acp_finalize() == 0);
    return failures();
}
