/* A rank that only polls, by calls that need nobody else, serves the others nevertheless: rank 1 puts into memory that
 * rank 0 has registered, and can do so only with its help. Run with a short ACP_TIMEOUT. */
#include "check.h"

enum { size = 4096 };

static unsigned char inbox[size], outbox[size];

/* Words of starter memory: 0 has the address of this rank's inbox, 1 says how often rank 1 has put, 2 gets a copy of
 * the other rank's word 1, and 3 of its word 0. */
static acp_ga_t mine, there;

static void poll_by_copies(uint64_t round) {
    const uint64_t *flag = acp_query_address(mine + 16);
    while (seen(flag) != round) CHECK(acp_complete(acp_copy(mine + 16, there + 8, 8, ACP_HANDLE_NULL)) == 0);
}

/* The word was copied here by rank 1. */
static void poll_by_queries(uint64_t round) {
    const uint64_t *flag = acp_query_address(mine + 8);
    while (seen(flag) != round) CHECK(acp_query_rank(mine) == 0);
}

static void poll_by_completes(uint64_t round) {
    const uint64_t *flag = acp_query_address(mine + 8);
    while (seen(flag) != round) CHECK(acp_complete(ACP_HANDLE_NULL) == 0);
}

static void put(acp_ga_t to, acp_ga_t from, uint64_t round) {
    uint64_t *words = acp_query_address(mine);
    memset(outbox, (int)round, size);
    CHECK(acp_complete(acp_copy(to, from, size, ACP_HANDLE_NULL)) == 0);
    /* Raised in any case, so that rank 0 does not poll for ever. */
    __atomic_store_n(words + 1, round, __ATOMIC_RELEASE);
    if (round > 1) CHECK(acp_complete(acp_copy(there + 8, mine + 8, 8, ACP_HANDLE_NULL)) == 0);
}

int main(void) {
    void (*const polls[])(uint64_t) = {poll_by_copies, poll_by_queries, poll_by_completes};
    CHECK(acp_init(NULL, NULL) == 0);
    const int me = acp_rank();
    mine = acp_query_starter_ga(me);
    there = acp_query_starter_ga(1 - me);
    uint64_t *words = acp_query_address(mine);
    const acp_ga_t to = acp_query_ga(acp_register_memory(inbox, size, 0), inbox);
    const acp_ga_t from = acp_query_ga(acp_register_memory(outbox, size, 0), outbox);
    words[0] = to;
    CHECK(acp_sync() == 0);
    CHECK(acp_complete(acp_copy(mine + 24, there, 8, ACP_HANDLE_NULL)) == 0);
    for (uint64_t round = 1; round <= 3; ++round) {
        CHECK(acp_sync() == 0);
        if (me == 0) {
            polls[round - 1](round);
            for (int i = 0; i < size; ++i) CHECK(inbox[i] == round);
        } else {
            put(words[3], from, round);
        }
        if (failures() != 0) return failures();
    }
    CHECK(acp_finalize() == 0);
    return failures();
}
