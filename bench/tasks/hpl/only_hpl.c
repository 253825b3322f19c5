/* Preloaded into Debian's hpcc, which has no switch that leaves out the other benchmarks of HPC Challenge. At N = 6400
 * they take minutes before HPL begins. Each of them asks malloc for large arrays, and is skipped, as HPC Challenge
 * documents, when it gets none.
 *
 *     AYATORI_HPCC_REFUSED="LEAST MOST"   malloc returns NULL for LEAST to MOST bytes; without it, nothing changes
 *
 * HPL's matrix is more than MOST, its panels are less than LEAST: HPL itself runs as it always does, with the memory
 * that it always gets. */

#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

void* __libc_malloc(size_t bytes);

static size_t least;
static size_t most;

__attribute__((constructor)) static void read_limits(void) {
  const char* words = getenv("AYATORI_HPCC_REFUSED");
  size_t from = 0;
  size_t to = 0;
  if (words && sscanf(words, "%zu %zu", &from, &to) == 2 && from > 0) {
    least = from;
    most = to;
  }
}

void* malloc(size_t bytes) {
  if (least && bytes >= least && bytes <= most) {
    errno = ENOMEM;
    return NULL;
  }
  return __libc_malloc(bytes);
}
