/* The least that a C test needs: CHECK counts what does not hold, and main returns failures(). */
#ifndef CHECK_H
#define CHECK_H

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "nwtopo.h"

static int failure_count = 0;

static void check(int holds, const char *file, int line, const char *what) {
    if (holds) return;
    ++failure_count;
    fprintf(stderr, "%s:%d: does not hold: %s (errno %d, \"%s\")\n", file, line, what, errno, nwtopo_error_message());
}

static int failures(void) {
    return failure_count == 0 ? 0 : 1;
}

#define CHECK(condition) check((condition) != 0, __FILE__, __LINE__, #condition)

#endif
