/* thread_on_core: prints the thread level that the MPI grants, and on which core the thread named "ayatori" may run. */
#define _GNU_SOURCE
#include <dirent.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Its id; 0 if there is none of this name. */
static int find_thread(const char* name) {
  int found = 0;
  DIR* const threads = opendir("/proc/self/task");
  for (struct dirent* one; (one = readdir(threads)) != NULL;) {
    char path[300];
    char comm[64] = "";
    snprintf(path, sizeof path, "/proc/self/task/%s/comm", one->d_name);
    FILE* const file = fopen(path, "r");
    if (file == NULL) continue;
    if (fscanf(file, "%63s", comm) == 1 && strcmp(comm, name) == 0) found = atoi(one->d_name);
    fclose(file);
  }
  closedir(threads);
  return found;
}

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
