/* One rank starts copies that take a value around all ranks, each ordered after the one before; and a copy of a flag that
 * is ordered after a copy of data, which the owner polls without calling the library. Before, all get a word that its
 * owner changes meanwhile. */
#include "check.h"

enum { rounds = 20, block = 40000 };

static void travel(void) {
    const acp_ga_t mine = acp_query_starter_ga(acp_rank());
    uint64_t *words = acp_query_address(mine);
    const int procs = acp_procs();
    words[0] = words[1] = 0;
    acp_handle_t last = ACP_HANDLE_NULL;
    for (int i = 0; i < rounds * procs; ++i) {
        const acp_ga_t here = acp_query_starter_ga(i % procs) + 8 * (acp_ga_t)(2 + acp_rank());
        const acp_ga_t there = acp_query_starter_ga((i + 1) % procs) + 8 * (acp_ga_t)(2 + acp_rank());
        acp_handle_t added = acp_add8(mine + 8, here, 1, i % 2 == 0 ? last : (acp_handle_t)ACP_HANDLE_CONT);
        last = acp_copy(there, here, 8, added);
    }
    acp_handle_t fetched = acp_copy(mine, acp_query_starter_ga(0) + 8 * (acp_ga_t)(2 + acp_rank()), 8, last);
    CHECK(acp_complete(fetched) == 0);
    CHECK(words[0] == (uint64_t)(rounds * procs));
}

static void signal_after_data(void) {
    const int next = (acp_rank() + 1) % acp_procs(), before = (acp_rank() + acp_procs() - 1) % acp_procs();
    const acp_ga_t mine = acp_query_starter_ga(acp_rank()) + 4096, there = acp_query_starter_ga(next) + 4096;
    uint64_t *flag = acp_query_address(mine);
    unsigned char *inbox = (unsigned char *)(flag + 2), *outbox = inbox + block;
    for (uint64_t round = 1; round <= rounds; ++round) {
        memset(outbox, (int)(round + (uint64_t)acp_rank()), block);
        flag[1] = round;
        acp_copy(there + 16, mine + 16 + block, block, ACP_HANDLE_NULL);
        acp_copy(there, mine + 8, 8, ACP_HANDLE_ALL);
        while (seen(flag) != round) continue;
        const unsigned char expected = (unsigned char)(round + (uint64_t)before);
        CHECK(inbox[0] == expected && memcmp(inbox, inbox + 1, block - 1) == 0);
        CHECK(acp_complete(ACP_HANDLE_ALL) == 0);
        CHECK(acp_sync() == 0);
    }
}

/* Rank 0 counts in a word of its own until all others have seen it count; they see no count go back. */
static void get_what_its_owner_changes(void) {
    const acp_ga_t counter = acp_query_starter_ga(0) + 2048, seen_by = counter + 8;
    const acp_ga_t mine = acp_query_starter_ga(acp_rank()) + 2048;
    if (acp_rank() == 0) {
        uint64_t *const words = acp_query_address(mine);
        for (uint64_t count = 1; seen(words + 1) < (uint64_t)(acp_procs() - 1); ++count) {
            __atomic_store_n(words, count, __ATOMIC_RELEASE);
        }
        return;
    }
    uint64_t *const got = acp_query_address(mine + 16);
    uint64_t before = 0;
    for (int changes = 0; changes < rounds;) {
        CHECK(acp_complete(acp_copy(mine + 16, counter, 8, ACP_HANDLE_NULL)) == 0);
        CHECK(*got >= before);
        changes += *got > before;
        before = *got;
    }
    CHECK(acp_complete(acp_add8(mine + 24, seen_by, 1, ACP_HANDLE_NULL)) == 0);
}

int main(void) {
    CHECK(acp_init(NULL, NULL) == 0);
    get_what_its_owner_changes();
    CHECK(acp_sync() == 0);
    travel();
    CHECK(acp_sync() == 0);
    signal_after_data();
    CHECK(acp_finalize() == 0);
    return failures();
}
