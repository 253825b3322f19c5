/* Over an adapter with room for one reliable connection a process (ACP_CONNECTIONS=1, ACP_ATOMICS=adapter): rank 0 reads,
 * writes and changes the memory of rank 1 while that process is stopped. For rank 2 no connection is left: it has to
 * answer itself. Meanwhile all atomics on a word stay atomic, whoever carries them out. */
#define _GNU_SOURCE
#include "check.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

enum { WARM_UP = 50, ADDS = 200, BIG = 20000 };

static unsigned char memory[BIG], other[BIG];

static void add(acp_ga_t to, int count) {
    for (int i = 0; i < count; ++i) acp_add8(acp_query_starter_ga(acp_rank()) + 64, to, 1, ACP_HANDLE_NULL);
    CHECK(acp_complete(ACP_HANDLE_ALL) == 0);
}

int main(void) {
    CHECK(acp_init(NULL, NULL) == 0);
    const acp_ga_t mine = acp_query_starter_ga(acp_rank());
    uint64_t *word = acp_query_address(mine);
    acp_ga_t memory_ga = acp_query_ga(acp_register_memory(memory, BIG, 0), memory);
    acp_ga_t other_ga = acp_query_ga(acp_register_memory(other, BIG, 0), other);
    word[0] = memory_ga;
    word[1] = (uint64_t)getpid();
    CHECK(acp_sync() == 0);

    if (acp_rank() == 0) {
        uint64_t there[3][2];
        for (int rank = 1; rank < 3; ++rank) {
            CHECK(acp_complete(acp_copy(mine + 128, acp_query_starter_ga(rank), 16, ACP_HANDLE_NULL)) == 0);
            memcpy(there[rank], word + 16, sizeof there[rank]);
        }
        const acp_ga_t first = acp_query_starter_ga(1) + 256, second = acp_query_starter_ga(2) + 256;
        for (int i = 0; i < WARM_UP; ++i) {
            add(first, 1);
            CHECK(acp_complete(acp_copy(there[1][0], memory_ga, BIG, ACP_HANDLE_NULL)) == 0);
        }

        kill((pid_t)there[1][1], SIGSTOP);
        for (int i = 0; i < BIG; ++i) memory[i] = (unsigned char)(i * 7);
        acp_handle_t put = acp_copy(there[1][0], memory_ga, BIG, ACP_HANDLE_NULL);
        acp_copy(other_ga, there[1][0], BIG, put);
        CHECK(acp_complete(ACP_HANDLE_ALL) == 0);
        CHECK(memcmp(memory, other, BIG) == 0);
        add(first, ADDS);
        CHECK(acp_complete(acp_cas8(mine + 64, first, WARM_UP + ADDS, WARM_UP + ADDS + 5, ACP_HANDLE_NULL)) == 0);
        CHECK(word[8] == WARM_UP + ADDS);
        kill((pid_t)there[1][1], SIGCONT);

        kill((pid_t)there[2][1], SIGSTOP);
        const acp_handle_t waits = acp_add8(mine + 64, second, 1, ACP_HANDLE_NULL);
        const struct timespec while_ = {0, 100000000};
        nanosleep(&while_, NULL);
        CHECK(acp_inquire(waits) == 1);
        kill((pid_t)there[2][1], SIGCONT);
        CHECK(acp_complete(waits) == 0);
    }
    CHECK(acp_sync() == 0);

    /* By rank 0's connection, by calls of rank 2, and by rank 1 itself. */
    add(acp_query_starter_ga(1) + 256, ADDS);
    CHECK(acp_sync() == 0);
    if (acp_rank() == 1) CHECK(seen(word + 32) == WARM_UP + ADDS + 5 + 3 * ADDS);
    if (acp_rank() == 2) CHECK(seen(word + 32) == 1);
    CHECK(acp_finalize() == 0);
    return failures();
}
