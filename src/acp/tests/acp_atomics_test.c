/* All ranks add to one counter, and each atomic in both sizes; then the same after acp_reset. */
#include "check.h"

enum { adds = 200 };

static uint64_t *words;
static acp_ga_t mine;

static void try_each(int rank) {
    const acp_ga_t there = acp_query_starter_ga(rank) + 64 + 16 * (acp_ga_t)acp_rank();
    uint64_t *before = words + 1;
    words[2] = 0xff00ff00ff00ff00u;
    CHECK(acp_complete(acp_copy(there, mine + 16, 8, ACP_HANDLE_NULL)) == 0);
#define APPLY(call, expected) CHECK(acp_complete(call) == 0 && *before == (expected))
    *before = 0;
    APPLY(acp_add8(mine + 8, there, 0x100, ACP_HANDLE_NULL), 0xff00ff00ff00ff00u);
    APPLY(acp_xor8(mine + 8, there, ~(uint64_t)0, ACP_HANDLE_NULL), 0xff00ff00ff010000u);
    APPLY(acp_or8(mine + 8, there, 1, ACP_HANDLE_NULL), 0x00ff00ff00feffffu);
    APPLY(acp_and8(mine + 8, there, 0xff, ACP_HANDLE_NULL), 0x00ff00ff00feffffu);
    APPLY(acp_swap8(mine + 8, there, 7, ACP_HANDLE_NULL), 0xffu);
    APPLY(acp_cas8(mine + 8, there, 8, 9, ACP_HANDLE_NULL), 7u);
    APPLY(acp_cas8(mine + 8, there, 7, 0xffffffff00000001u, ACP_HANDLE_NULL), 7u);
    *before = 0;
    APPLY(acp_add4(mine + 8, there, 0xffffffff, ACP_HANDLE_NULL), 1u);
    APPLY(acp_or4(mine + 8, there, 6, ACP_HANDLE_NULL), 0u);
    APPLY(acp_xor4(mine + 8, there, 5, ACP_HANDLE_NULL), 6u);
    APPLY(acp_and4(mine + 8, there, 2, ACP_HANDLE_NULL), 3u);
    APPLY(acp_cas4(mine + 8, there, 2, 4, ACP_HANDLE_NULL), 2u);
    APPLY(acp_swap4(mine + 8, there, 5, ACP_HANDLE_NULL), 4u);
    CHECK(acp_complete(acp_copy(mine + 16, there, 8, ACP_HANDLE_NULL)) == 0);
    CHECK(words[2] == 0xffffffff00000005u);
}

static void count_together(void) {
    const acp_ga_t counter = acp_query_starter_ga(0);
    for (int i = 0; i < adds; ++i) acp_add8(mine + 8, counter, 1, ACP_HANDLE_NULL);
    CHECK(acp_complete(ACP_HANDLE_ALL) == 0);
    CHECK(acp_sync() == 0);
    if (acp_rank() == 0) CHECK(seen(words) == (uint64_t)acp_procs() * adds);
    CHECK(acp_sync() == 0);
}

int main(void) {
    CHECK(acp_init(NULL, NULL) == 0);
    for (int round = 0; round < 2; ++round) {
        mine = acp_query_starter_ga(acp_rank());
        words = acp_query_address(mine);
        CHECK(words[0] == 0);
        CHECK(acp_sync() == 0);
        count_together();
        for (int rank = 0; rank < acp_procs(); ++rank) try_each(rank);
        CHECK(acp_add8(mine + 4, mine, 1, ACP_HANDLE_NULL) == (acp_handle_t)ACP_HANDLE_NULL && errno == EINVAL);
        CHECK(acp_sync() == 0);
        const int rank = (acp_rank() + 1) % acp_procs();
        if (round == 0) {
            CHECK(acp_reset(rank) == 0);
            CHECK(acp_rank() == rank);
        }
    }
    CHECK(acp_finalize() == 0);
    return failures();
}
