/* Copies of 8 bytes by acp_copy and acp_complete between two processes: from the other one (get) and to it (put), while it
 * waits in acp_sync, and while it computes without calling the library. Answers are checked first. Prints a JSON line a
 * measurement, times in microseconds: the median of single copies.
 *
 * Any library with the API of include/acp.h can be measured; bench/acp_beside.py compares them. */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <acp.h>

enum { warm = 200, count = 3000 };

static double times[count];

static double now_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void copy(acp_ga_t dst, acp_ga_t src) {
    acp_complete(acp_copy(dst, src, 8, ACP_HANDLE_NULL));
}

static void measure(const char *what, const char *target, acp_ga_t dst, acp_ga_t src) {
    for (int i = -warm; i < count; ++i) {
        double start = now_us();
        copy(dst, src);
        if (i >= 0) times[i] = now_us() - start;
    }
    qsort(times, count, sizeof *times, by_value);
    printf("{\"measure\": \"%s\", \"bytes\": 8, \"target\": \"%s\", \"median_us\": %.3f, \"p10_us\": %.3f, \"p90_us\": %.3f}\n",
           what, target, times[count / 2], times[count / 10], times[count * 9 / 10]);
}

/* Words of starter memory: 0 the value, 1 what was fetched, 2 tells the other one to stop, 3 its new value. */
int main(int argc, char **argv) {
    if (acp_init(&argc, &argv) != 0 || acp_procs() != 2) {
        fprintf(stderr, "error: this takes two processes\n");
        return 1;
    }
    int me = acp_rank();
    acp_ga_t mine = acp_query_starter_ga(me), there = acp_query_starter_ga(1 - me);
    volatile uint64_t *words = acp_query_address(mine);
    memset((void *)words, 0, 32);
    acp_sync();

    if (me == 0) {
        for (uint64_t value = 1; value <= 100; ++value) {
            words[0] = value * 0x0101010101010101u;
            words[1] = 0;
            copy(there, mine);
            copy(mine + 8, there);
            if (words[1] != words[0]) {
                fprintf(stderr, "error: what came back is not what was copied\n");
                return 2;
            }
        }
        measure("put", "in acp_sync", there, mine);
        measure("get", "in acp_sync", mine + 8, there);
    }
    acp_sync();
    if (me == 0) {
        measure("put", "computing", there, mine);
        measure("get", "computing", mine + 8, there);
        words[3] = 1;
        copy(there + 16, mine + 24);
    } else {
        while (words[2] == 0) continue;
    }
    acp_sync();
    acp_finalize();
    return 0;
}
