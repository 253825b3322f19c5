/* thread_sleeps MS: how much processor time the thread that is called "ayatori" takes, as the kernel counts it: while a
 * receive is outstanding and the program computes, for a quarter of so many milliseconds, and after that, with nothing
 * outstanding, while it computes, for a half of them, and while it sleeps, for all of them. Rank 0 prints a line for
 * each rank: "rank R: U of S outstanding, U of S computing, U of S sleeping", where U are microseconds of the thread
 * and S of the clock. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "own_threads.h"

static long long microseconds(clockid_t clock) {
  struct timespec now = {0, 0};
  clock_gettime(clock, &now);
  return now.tv_sec * 1000000LL + now.tv_nsec / 1000;
}

/* The clock of a thread's processor time, as the kernel's include/linux/posix-timers.h makes it of the thread's id. */
static clockid_t clock_of_thread(int thread) { return (clockid_t)((~(unsigned)thread << 3) | 6U); }

static void compute(int milliseconds) {
  const long long end = microseconds(CLOCK_MONOTONIC) + milliseconds * 1000LL;
  while (microseconds(CLOCK_MONOTONIC) < end) {
  }
}

static void sleep_for(int milliseconds) { usleep((useconds_t)milliseconds * 1000U); }

struct Share {
  long long used, passed;
};

static struct Share share_of(int thread, void (*pass)(int), int milliseconds) {
  const long long begin = microseconds(CLOCK_MONOTONIC);
  const long long used = microseconds(clock_of_thread(thread));
  pass(milliseconds);
  return (struct Share){microseconds(clock_of_thread(thread)) - used, microseconds(CLOCK_MONOTONIC) - begin};
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int milliseconds = argc > 1 ? atoi(argv[1]) : 1000;
  int rank, ranks, mine = 1, from_other = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int other = (rank + 1) % ranks;
  int thread = 0;
  for (int tries = 0; thread == 0 && tries < 500; ++tries) { /* it takes its name when it first runs */
    usleep(10000);
    thread = find_thread("ayatori");
  }
  if (thread == 0) {
    printf("rank %d: no thread\n", rank);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Request request;
  MPI_Irecv(&from_other, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request);
  MPI_Barrier(MPI_COMM_WORLD);
  const struct Share outstanding = share_of(thread, compute, milliseconds / 4);
  MPI_Send(&mine, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  usleep(10000); /* until the thread has seen that nothing is left */
  const struct Share computing = share_of(thread, compute, milliseconds / 2);
  const struct Share sleeping = share_of(thread, sleep_for, milliseconds);
  const long long here[] = {outstanding.used, outstanding.passed, computing.used,
                            computing.passed, sleeping.used,      sleeping.passed};
  enum { numbers = sizeof here / sizeof *here };
  long long(*all)[numbers] = malloc(sizeof(long long[numbers]) * (size_t)ranks);
  MPI_Gather(here, numbers, MPI_LONG_LONG, all, numbers, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
  for (int of = 0; rank == 0 && of < ranks; ++of) {
    const long long* const it = all[of];
    printf("rank %d: %lld of %lld outstanding, %lld of %lld computing, %lld of %lld sleeping\n", of, it[0], it[1],
           it[2], it[3], it[4], it[5]);
  }
  free(all);
  MPI_Finalize();
  return 0;
}
