/* For programs that want to know whether the progress thread, which is called "ayatori", looks or sleeps. */

#include "own_threads.h"

#include <time.h>

/* How often it has paused since it began; -1: there is none. */
long pauses_of_thread(void) {
  const int thread = find_thread("ayatori");
  char path[64];
  char line[256];
  long pauses = -1;
  snprintf(path, sizeof path, "/proc/self/task/%d/status", thread);
  FILE* const status = fopen(path, "r");
  while (status != NULL && fgets(line, sizeof line, status) != NULL) {
    if (strncmp(line, "voluntary_ctxt_switches:", 24) == 0) pauses = atol(line + 24);
  }
  if (status != NULL) fclose(status);
  return pauses;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void compute_for_ms(int milliseconds) {
  const double end = seconds() + milliseconds * 1e-3;
  while (seconds() < end) {
  }
}
