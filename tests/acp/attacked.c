/* A job that is attacked meanwhile: its processes write into each other's memory, add to words, and meet, until rank 0
 * finds the file STOP. Then all contents must be right. Rank r prints "rank r: N rounds". */
#define _POSIX_C_SOURCE 200809L
#include <acp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { words = 4096 };
static uint64_t memory[2 * words];

static void need(int good, const char *what) {
    if (good) return;
    fprintf(stderr, "rank %d: %s: %s\n", acp_rank(), what, acp_error_message());
    exit(1);
}

/* What rank `from` writes in a round. */
static uint64_t pattern(int from, uint64_t round, int word) {
    return (uint64_t)from << 56 | round << 16 | (uint64_t)word;
}

int main(int argc, char **argv) {
    need(argc == 2 && acp_init(NULL, NULL) == 0, "acp_init");
    const int me = acp_rank(), procs = acp_procs(), next = (me + 1) % procs, before = (me + procs - 1) % procs;
    const acp_ga_t mine = acp_query_starter_ga(me);
    volatile uint64_t *starter = acp_query_address(mine);
    const acp_ga_t own = acp_query_ga(acp_register_memory(memory, sizeof memory, 0), memory);
    starter[1] = own;
    need(acp_sync() == 0, "acp_sync");
    need(acp_complete(acp_copy(mine + 16, acp_query_starter_ga(next) + 8, 8, ACP_HANDLE_NULL)) == 0, "address");
    const acp_ga_t there = starter[2];
    uint64_t round = 0;
    for (int going = 1; going; ++round) {
        for (int i = 0; i < words; ++i) memory[words + i] = pattern(me, round, i);
        need(acp_complete(acp_copy(there, own + sizeof memory / 2, sizeof memory / 2, ACP_HANDLE_NULL)) == 0, "put");
        need(acp_complete(acp_add8(mine + 32, acp_query_starter_ga(0) + 40, 1, ACP_HANDLE_NULL)) == 0, "add");
        if (me == 0) starter[6] = access(argv[1], F_OK) != 0;
        need(acp_sync() == 0, "acp_sync");
        for (int i = 0; i < words; ++i) need(memory[i] == pattern(before, round, i), "memory has changed");
        need(acp_complete(acp_copy(mine + 56, acp_query_starter_ga(0) + 48, 8, ACP_HANDLE_NULL)) == 0, "get");
        going = (int)starter[7];
        const struct timespec moment = {0, 1000000};
        nanosleep(&moment, NULL);
        need(acp_sync() == 0, "acp_sync");
    }
    if (me == 0) need(starter[5] == round * (uint64_t)procs, "additions are missing, or too many");
    printf("rank %d: %llu rounds\n", me, (unsigned long long)round);
    need(acp_finalize() == 0, "acp_finalize");
    return 0;
}
