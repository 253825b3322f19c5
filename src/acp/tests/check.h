/* The least that a program of several processes needs: CHECK counts what does not hold, and main returns failures(). */
#ifndef CHECK_H
#define CHECK_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acp.h"

static int failure_count = 0;

static void check(int holds, const char *file, int line, const char *what) {
    if (holds) return;
    ++failure_count;
    fprintf(stderr, "%s:%d: does not hold: %s (errno %d, \"%s\")", file, line, what, errno, acp_error_message());
    const int rank = acp_rank(); /* which has a message of its own where the library is not open */
    fprintf(stderr, " at rank %d\n", rank);
    if (rank < 0) exit(1);
}

#define CHECK(condition) check((condition) != 0, __FILE__, __LINE__, #condition)

static int failures(void) {
    return failure_count == 0 ? 0 : 1;
}

/* What another process or thread writes meanwhile. */
static inline uint64_t seen(const uint64_t *word) {
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

#endif
