/* Preloaded into Debian's hpcc, which has no switch that leaves out the other benchmarks of HPC Challenge. At N = 6400
 * they take minutes before HPL begins. Each of them asks malloc for large arrays, and is skipped, as HPC Challenge
 * documents, when it gets none.
 *
 *     HPCC_REFUSED="LEAST MOST SIZE…"   malloc returns NULL for LEAST to MOST bytes, and for each SIZE;
 *                                       without it, nothing changes
 *
 * HPL's matrix is more than MOST, its panels are less than LEAST, and none of them has a SIZE: HPL itself runs as it
 * always does, with the memory that it always gets. */

#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

void* __libc_malloc(size_t bytes);

enum { MAX_SIZES = 16 };

static size_t least;
static size_t most;
static size_t sizes[MAX_SIZES];
static int size_count;

__attribute__((constructor)) static void read_sizes(void) {
  const char* words = getenv("HPCC_REFUSED");
  int length = 0;
  if (!words || sscanf(words, "%zu %zu%n", &least, &most, &length) != 2) {
    least = most = 0;
    return;
  }
  while (size_count < MAX_SIZES && sscanf(words += length, "%zu%n", &sizes[size_count], &length) == 1) ++size_count;
}

static int is_refused(size_t bytes) {
  if (least && bytes >= least && bytes <= most) return 1;
  for (int i = 0; i < size_count; ++i) {
    if (bytes && bytes == sizes[i]) return 1;
  }
  return 0;
}

void* malloc(size_t bytes) {
  if (is_refused(bytes)) {
    errno = ENOMEM;
    return NULL;
  }
  return __libc_malloc(bytes);
}
