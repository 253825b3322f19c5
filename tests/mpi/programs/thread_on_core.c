/* thread_on_core: prints the thread level that the MPI grants, and on which core the thread named "ayatori" may run. */
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include "own_threads.h"

int main(int argc, char** argv) {
  int level = 0;
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Query_thread(&level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  usleep(200000); /* until it has taken its place */
  const int thread = find_thread("ayatori");
  if (thread == 0) {
    printf("rank %d: level %d, no thread\n", rank, level);
  } else {
    cpu_set_t cores;
    sched_getaffinity(thread, sizeof cores, &cores);
    int core = 0;
    while (core < CPU_SETSIZE && !CPU_ISSET(core, &cores)) ++core;
    printf("rank %d: level %d, thread on core %d%s\n", rank, level, core, CPU_COUNT(&cores) == 1 ? "" : " and others");
  }
  MPI_Finalize();
  return 0;
}
