/* All ranks use a lock and counters in the memory of one rank: no two ranks may hold the lock at once, and no add may be
 * lost. */
#include "check.h"

enum { rounds = 20, adds = 100 };

static acp_ga_t mine, there; /* starter memory of this rank; lock, guarded number and counters */
static uint64_t *words;

static void lock(void) {
    do {
        CHECK(acp_complete(acp_cas8(mine, there, 0, (uint64_t)acp_rank() + 1, ACP_HANDLE_NULL)) == 0);
    } while (words[0] != 0);
}

/* Releases the lock when everything written while it was held is completed. */
static void unlock_after(acp_handle_t written) {
    CHECK(acp_complete(acp_swap8(mine, there, 0, written)) == 0);
    CHECK(words[0] == (uint64_t)acp_rank() + 1);
}

int main(void) {
    CHECK(acp_init(NULL, NULL) == 0);
    const uint64_t procs = (uint64_t)acp_procs();
    mine = acp_query_starter_ga(acp_rank());
    words = acp_query_address(mine);
    there = acp_query_starter_ga(acp_procs() - 1) + 4096;
    for (int round = 0; round < rounds; ++round) {
        lock();
        CHECK(acp_complete(acp_copy(mine + 8, there + 8, 8, ACP_HANDLE_NULL)) == 0);
        ++words[1];
        unlock_after(acp_copy(there + 8, mine + 8, 8, ACP_HANDLE_NULL));
    }
    /* Neighbours of 4 bytes. */
    for (int i = 0; i < adds; ++i) {
        acp_add4(mine + 16, there + 16, 1, ACP_HANDLE_NULL);
        acp_add4(mine + 20, there + 20, 2, ACP_HANDLE_NULL);
    }
    CHECK(acp_complete(ACP_HANDLE_ALL) == 0);
    CHECK(acp_sync() == 0);
    CHECK(acp_complete(acp_copy(mine + 32, there, 24, ACP_HANDLE_NULL)) == 0);
    CHECK(words[4] == 0 && words[5] == rounds * procs);
    CHECK((uint32_t)words[6] == adds * procs && words[6] >> 32 == 2 * adds * procs);
    CHECK(acp_finalize() == 0);
    return failures();
}
