/* 20 puts to a killed rank end together, and the next 20 at once. Run with a short ACP_TIMEOUT. */
#define _GNU_SOURCE
#include "check.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { count = 20, bytes = 4096 };

static double seconds_since(const struct timespec *begin) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - begin->tv_sec) + (double)(now.tv_nsec - begin->tv_nsec) * 1e-9;
}

/* Each is completed before the next one starts, as a program does that checks each. */
static double put_one_by_one(acp_ga_t there, acp_ga_t mine) {
    struct timespec begin;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (int i = 0; i < count; ++i) {
        const acp_handle_t handle = acp_copy(there + (acp_ga_t)i * bytes, mine, bytes, ACP_HANDLE_NULL);
        CHECK(acp_complete(handle) == -1 && errno == EHOSTDOWN);
        CHECK(strstr(acp_error_message(), "rank 1 is lost") != NULL);
    }
    return seconds_since(&begin);
}

static double put_all(acp_ga_t there, acp_ga_t mine) {
    struct timespec begin;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (int i = 0; i < count; ++i) acp_copy(there + (acp_ga_t)i * bytes, mine, bytes, ACP_HANDLE_NULL);
    CHECK(acp_complete(ACP_HANDLE_ALL) == -1 && errno == EHOSTDOWN);
    return seconds_since(&begin);
}

int main(void) {
    CHECK(acp_init(NULL, NULL) == 0);
    static char memory[count * bytes];
    const acp_ga_t mine = acp_query_starter_ga(acp_rank());
    uint64_t *word = acp_query_address(mine);
    word[0] = acp_query_ga(acp_register_memory(memory, sizeof memory, 0), memory);
    CHECK(acp_sync() == 0);
    CHECK(acp_complete(acp_copy(mine + 8, acp_query_starter_ga(1), 8, ACP_HANDLE_NULL)) == 0);
    CHECK(acp_sync() == 0);
    if (acp_rank() == 1) {
        sleep(1); /* its last word may still be on its way */
        syscall(SYS_exit_group, 0);
    }
    sleep(2);
    const char *timeout = getenv("ACP_TIMEOUT");
    const double limit = timeout ? atof(timeout) : 30;
    const double together = put_all(word[1], mine);
    const double later = put_one_by_one(word[1], mine);
    printf("%d puts to a killed rank: %.2f s with ACP_TIMEOUT=%g, %d more: %.3f s\n", count, together, limit, count,
           later);
    CHECK(together < 10 * limit); /* one after the other they would take 20 times that */
    CHECK(acp_finalize() == -1 && errno == EHOSTDOWN);
    return failures();
}
