/* One-sided operations by libacp between two processes of a host, one after the other, while the other process waits in
 * acp_sync. Answers are checked first. Prints one JSON line for each measurement: the mean time of an operation in
 * microseconds, over all of a loop, as ucx_perftest gives it. acp_same_host.py compares them with UCX. */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <acp.h>

enum { warm = 10000, large = 1 << 20 };

static acp_ga_t starter, far_starter, heap, far_heap;

static double now_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static void get_starter(void) { acp_complete(acp_copy(starter + 8, far_starter, 8, ACP_HANDLE_NULL)); }
static void get_heap(void) { acp_complete(acp_copy(heap + 8, far_heap, 8, ACP_HANDLE_NULL)); }
static void add(void) { acp_complete(acp_add8(starter + 8, far_starter + 16, 1, ACP_HANDLE_NULL)); }
static void put_starter(void) { acp_complete(acp_copy(far_starter + 4096, starter + 4096, large, ACP_HANDLE_NULL)); }
static void put_heap(void) { acp_complete(acp_copy(far_heap, heap, large, ACP_HANDLE_NULL)); }

static void measure(const char *what, void (*operation)(void), int count) {
    for (int i = 0; i < (count < warm ? count / 10 : warm); ++i) operation();
    double start = now_us();
    for (int i = 0; i < count; ++i) operation();
    printf("{\"measure\": \"%s\", \"mean_us\": %.4f}\n", what, (now_us() - start) / count);
    fflush(stdout);
}

static void check(int right, const char *what) {
    if (right) return;
    fprintf(stderr, "error: %s is wrong: %s\n", what, acp_error_message());
    exit(2);
}

static void check_answers(volatile uint64_t *words, volatile uint64_t *memory) {
    get_starter();
    check(words[1] == 0x0101010101010101u, "a get of starter memory");
    get_heap();
    check(memory[1] == 0x0202020202020202u, "a get of registered memory");
    for (uint64_t i = 0; i < 3; ++i) {
        add();
        check(words[1] == i, "a fetch-add");
    }
    ((volatile char *)memory)[large - 1] = 7;
    put_heap();
    acp_complete(acp_copy(heap + 16, far_heap + large - 1, 1, ACP_HANDLE_NULL));
    check(((volatile char *)memory)[16] == 7, "a put");
}

int main(int argc, char **argv) {
    if (setenv("ACP_STARTER_BYTES", "2097152", 1) != 0 || acp_init(&argc, &argv) != 0 || acp_procs() != 2) {
        fprintf(stderr, "error: this takes two processes\n");
        return 1;
    }
    int me = acp_rank();
    starter = acp_query_starter_ga(me);
    far_starter = acp_query_starter_ga(1 - me);
    static uint64_t memory[large / 8];
    memset(memory, 2, large);
    volatile uint64_t *words = acp_query_address(starter);
    memset((void *)(words + 512), 1, large);
    heap = acp_query_ga(acp_register_memory(memory, large, 0), memory);
    words[0] = 0x0101010101010101u;
    words[3] = heap;
    acp_sync();
    acp_complete(acp_copy(starter + 32, far_starter + 24, 8, ACP_HANDLE_NULL));
    far_heap = words[4];
    if (me == 0) {
        check_answers(words, memory);
        measure("get 8 B, registered", get_heap, 100000);
        measure("get 8 B, library", get_starter, 1000000);
        measure("fetch-add, library", add, 1000000);
        measure("put 1 MiB, library", put_starter, 2000);
        measure("put 1 MiB, registered", put_heap, 2000);
    }
    acp_sync();
    acp_finalize();
    return 0;
}
