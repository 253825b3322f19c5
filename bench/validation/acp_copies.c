/* Copies of 8 bytes by acp_copy and acp_complete between two processes: gets from the other one and puts to it, while
 * it waits in acp_sync, and while it computes without calling the library. Answers are checked first. Prints one JSON
 * line for each measurement: the median time of a copy in microseconds.
 *
 * Any library with the interface of src/acp/include/acp.h can be measured; acp_copies.py compares them. */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <acp.h>

enum { warm = 100, max_count = 3000 };

/* Reduced while the other process computes: if there are too few cores, each copy waits for the scheduler. */
static int count = max_count;

static double times[max_count];

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

static void measure(const char *what, const char *memory, const char *target, acp_ga_t dst, acp_ga_t src) {
    for (int i = -warm; i < count; ++i) {
        double start = now_us();
        copy(dst, src);
        if (i >= 0) times[i] = now_us() - start;
    }
    qsort(times, (size_t)count, sizeof *times, by_value);
    printf("{\"measure\": \"%s\", \"memory\": \"%s\", \"bytes\": 8, \"target\": \"%s\", \"median_us\": %.3f, "
           "\"p10_us\": %.3f, \"p90_us\": %.3f}\n",
           what, memory, target, times[count / 2], times[count / 10], times[count * 9 / 10]);
}

static void measure_both(const char *memory, const char *target, acp_ga_t mine, acp_ga_t there) {
    measure("put", memory, target, there, mine);
    measure("get", memory, target, mine + 8, there);
}

/* Word 0 of the memory is the value, word 1 gets what was fetched. */
static void check_answers(volatile uint64_t *words, acp_ga_t mine, acp_ga_t there) {
    for (uint64_t value = 1; value <= 100; ++value) {
        words[0] = value * 0x0101010101010101u;
        words[1] = 0;
        copy(there, mine);
        copy(mine + 8, there);
        if (words[1] != words[0]) {
            fprintf(stderr, "error: what came back is not what was copied\n");
            exit(2);
        }
    }
}

/* Further words of starter memory: 2 tells the other process to stop, 3 is the new value of its word 2, 4 has the
 * address of the registered memory, 5 that of the other process. */
int main(int argc, char **argv) {
    if (acp_init(&argc, &argv) != 0 || acp_procs() != 2) {
        fprintf(stderr, "error: this takes two processes\n");
        return 1;
    }
    static uint64_t registered[512];
    int me = acp_rank();
    acp_ga_t mine = acp_query_starter_ga(me), there = acp_query_starter_ga(1 - me);
    volatile uint64_t *words = acp_query_address(mine);
    memset((void *)words, 0, 32);
    acp_ga_t my_memory = acp_query_ga(acp_register_memory(registered, sizeof registered, 0), registered);
    words[4] = my_memory;
    acp_sync();
    copy(mine + 40, there + 32);
    acp_ga_t its_memory = words[5];

    if (me == 0) {
        check_answers(words, mine, there);
        check_answers(registered, my_memory, its_memory);
        measure_both("starter", "in acp_sync", mine, there);
        measure_both("registered", "in acp_sync", my_memory, its_memory);
    }
    acp_sync();
    count = max_count / 10;
    if (me == 0) {
        measure_both("registered", "computing", my_memory, its_memory);
        words[3] = 1;
        copy(there + 16, mine + 24);
    } else {
        while (words[2] == 0) continue;
    }
    acp_sync();
    acp_finalize();
    return 0;
}
