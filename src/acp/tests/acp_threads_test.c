/* Several threads of each rank at once add to one counter and make copies of their own. */
#include "check.h"

#include <pthread.h>

enum { threads = 3, rounds = 100 };

static int my_rank;
static int wrong[threads];

static void *work(void *number) {
    const size_t me = *(const size_t *)number;
    const int next = (my_rank + 1) % acp_procs();
    const acp_ga_t place = 1024 + 64 * (acp_ga_t)me;
    const acp_ga_t mine = acp_query_starter_ga(my_rank) + place, there = acp_query_starter_ga(next) + place;
    uint64_t *words = acp_query_address(mine);
    for (uint64_t round = 1; round <= rounds; ++round) {
        acp_add8(mine, acp_query_starter_ga(0), 1, ACP_HANDLE_NULL);
        words[1] = round;
        acp_handle_t put = acp_copy(there + 32, mine + 8, 8, ACP_HANDLE_NULL);
        acp_handle_t got = acp_copy(mine + 16, there + 32, 8, put);
        if (acp_complete(got) != 0 || words[2] != round) ++wrong[me];
    }
    return NULL;
}

int main(void) {
    CHECK(acp_init(NULL, NULL) == 0);
    my_rank = acp_rank();
    pthread_t running[threads];
    size_t numbers[threads];
    for (size_t i = 0; i < threads; ++i) {
        numbers[i] = i;
        CHECK(pthread_create(&running[i], NULL, work, &numbers[i]) == 0);
    }
    for (size_t i = 0; i < threads; ++i) {
        CHECK(pthread_join(running[i], NULL) == 0);
        CHECK(wrong[i] == 0);
    }
    CHECK(acp_sync() == 0);
    if (my_rank == 0) {
        CHECK(seen(acp_query_address(acp_query_starter_ga(0))) == (uint64_t)acp_procs() * threads * rounds);
    }
    CHECK(acp_sync() == 0);
    CHECK(acp_finalize() == 0);
    return failures();
}
