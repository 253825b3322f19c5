#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "trace.h"

enum { max_samples = 400000 };

struct sample {
  double time;
  unsigned long long sent;
  unsigned long long received;
  unsigned long long loopback;
};

static struct sample* samples;
static int count;
static volatile int stop;
static pthread_t thread;
static int running;

/* /proc/net/dev: two lines of titles, then of each interface its name, a colon, eight numbers of what it has received
 * and eight of what it has sent, bytes first. */
static struct sample sample_of(const char* text) {
  struct sample found = {trace_now(), 0, 0, 0};
  const char* line = strchr(text, '\n');
  line = line == NULL ? NULL : strchr(line + 1, '\n');
  for (; line != NULL; line = strchr(line + 1, '\n')) {
    const char* const colon = strchr(line + 1, ':');
    if (colon == NULL) break;
    unsigned long long received = 0;
    unsigned long long sent = 0;
    if (sscanf(colon + 1, "%llu %*u %*u %*u %*u %*u %*u %*u %llu", &received, &sent) != 2) continue;
    const char* name = line + 1;
    while (*name == ' ') ++name;
    if (strncmp(name, "lo:", 3) == 0) {
      found.loopback += received;
    } else {
      found.received += received;
      found.sent += sent;
    }
  }
  return found;
}

/* Samples that equal their neighbours are left out; if there are too many, every second one. */
static void keep(struct sample now) {
  const int same = count >= 2 && memcmp(&samples[count - 1].sent, &now.sent, 3 * sizeof now.sent) == 0 &&
                   memcmp(&samples[count - 2].sent, &now.sent, 3 * sizeof now.sent) == 0;
  if (same) {
    samples[count - 1] = now;
    return;
  }
  if (count == max_samples) {
    for (int i = 0; i < count / 2; ++i) samples[i] = samples[2 * i];
    count /= 2;
  }
  samples[count++] = now;
}

static void* run(void* unused) {
  const int file = open("/proc/self/net/dev", O_RDONLY | O_CLOEXEC);
  char text[65536];
  const struct timespec pause = {0, 1000000};
  while (!stop && file >= 0) {
    const ssize_t length = pread(file, text, sizeof text - 1, 0);
    if (length <= 0) break;
    text[length] = '\0';
    keep(sample_of(text));
    nanosleep(&pause, NULL);
  }
  if (file >= 0) close(file);
  return unused;
}

void trace_start_traffic(void) {
  samples = malloc(max_samples * sizeof *samples);
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  running = samples != NULL && pthread_create(&thread, NULL, run, NULL) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (running) pthread_setname_np(thread, "ayatori-trace");
}

void trace_stop_traffic(void) {
  if (!running) return;
  stop = 1;
  pthread_join(thread, NULL);
  running = 0;
}

void trace_write_traffic(FILE* file) {
  for (int i = 0; i < count; ++i) {
    const struct sample* const one = &samples[i];
    fprintf(file, "%s\n[%.9f, %llu, %llu, %llu]", i == 0 ? "" : ",", one->time, one->sent, one->received,
            one->loopback);
  }
}
