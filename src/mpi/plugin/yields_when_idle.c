/* libayatori_yields.so, preloaded into programs of MPICH where ranks share cores, after the plug-in if that is there:
 * MPICH polls without a pause, through UCX. A rank that has found nothing lets another one run, as Open MPI does with
 * mpi_yield_when_idle. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <string.h>

unsigned ucp_worker_progress(void* worker) {
  static unsigned (*progress)(void*);
  if (!progress) {
    /* A program that loads its MPI has UCX in a scope of its own. */
    void* const ucx = dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD);
    void* const found = dlsym(ucx != NULL ? ucx : RTLD_NEXT, "ucp_worker_progress");
    memcpy(&progress, &found, sizeof found);
  }
  const unsigned events = progress(worker);
  if (events == 0) sched_yield();
  return events;
}
