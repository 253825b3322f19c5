/* The highest rank is killed: the operations of all others must fail with EHOSTDOWN and name it. Run with a short
 * ACP_TIMEOUT. */
#define _GNU_SOURCE
#include "check.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Until it is dead it may still answer. The launcher removes what it leaves. */
static void wait_until_dead(pid_t process) {
    const struct timespec moment = {0, 1000000};
    while (kill(process, 0) == 0) nanosleep(&moment, NULL);
}

/* Who leaves a barrier and dies at once may take its last word to the others with it. */
static void wait_for_all(const uint64_t *through, int count) {
    const struct timespec moment = {0, 1000000};
    for (int rank = 0; rank < count; ++rank) {
        while (!seen(through + rank)) nanosleep(&moment, NULL);
    }
}

int main(void) {
    CHECK(acp_init(NULL, NULL) == 0);
    const int victim = acp_procs() - 1;
    const acp_ga_t mine = acp_query_starter_ga(acp_rank()), starter = acp_query_starter_ga(victim);
    char name[32];
    snprintf(name, sizeof name, "rank %d is lost", victim);
    /* Registered memory: on one host starter memory would be reached without its owner. */
    static uint64_t memory[2048];
    uint64_t *word = acp_query_address(mine);
    word[0] = acp_query_ga(acp_register_memory(memory, sizeof memory, 0), memory);
    word[1] = (uint64_t)getpid();
    CHECK(acp_sync() == 0);
    CHECK(acp_complete(acp_copy(mine + 16, starter, 16, ACP_HANDLE_NULL)) == 0);
    const acp_ga_t there = word[2];
    const pid_t process = (pid_t)word[3];
    CHECK(acp_sync() == 0);
    if (acp_rank() == victim) {
        wait_for_all(word + 8, victim);
        syscall(SYS_exit_group, 0); /* not _exit, in which sanitizers linger */
    }
    word[4] = 1;
    acp_copy(starter + 8 * (8 + acp_rank()), mine + 32, 8, ACP_HANDLE_NULL);
    wait_until_dead(process);

    /* What it was asked for in many ways, and a barrier that it will never come to. */
    acp_copy(there, mine, 8, ACP_HANDLE_NULL);
    acp_copy(there + 4096, mine + 4096, 1000, ACP_HANDLE_NULL);
    acp_copy(there + 8192, acp_query_starter_ga((acp_rank() + 1) % victim) + 4096, 1000, ACP_HANDLE_NULL);
    acp_handle_t last = acp_add8(mine, there, 1, ACP_HANDLE_NULL);
    CHECK(acp_complete(last) == -1 && errno == EHOSTDOWN);
    CHECK(strstr(acp_error_message(), name) != NULL);
    CHECK(acp_sync() == -1 && errno == EHOSTDOWN);
    CHECK(strstr(acp_error_message(), name) != NULL);
    /* Its starter memory is reached without it, where that of the host is shared. */
    const char *wires = getenv("ACP_WIRES");
    const int shared = wires && strcmp(wires, "shm") == 0;
    const int copied = acp_complete(acp_copy(mine + 4096, starter, 8, ACP_HANDLE_NULL));
    CHECK(shared ? copied == 0 : copied == -1 && errno == EHOSTDOWN);
    const int added = acp_complete(acp_add8(mine + 4096, starter, 1, ACP_HANDLE_NULL));
    CHECK(shared ? added == 0 : added == -1 && errno == EHOSTDOWN);
    CHECK(acp_finalize() == -1 && errno == EHOSTDOWN);
    CHECK(acp_rank() == -1 && errno == EPERM);
    return failures();
}
