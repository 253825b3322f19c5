/* MPICH has no function by which others take part in its progress. Where it runs over UCX it calls ucp_worker_progress
 * for that: this one stands in front of UCX's. */

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

typedef int advance(void);
static _Atomic(advance*) joined;

typedef unsigned progress(void* worker);

static progress* find_own(void) {
  void* found = dlsym(RTLD_NEXT, "ucp_worker_progress");
  if (found == NULL) { /* UCX came with an MPI that was loaded by dlopen */
    void* const library = dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD);
    if (library != NULL) found = dlsym(library, "ucp_worker_progress");
  }
  progress* own = NULL;
  memcpy(&own, &found, sizeof found);
  return own;
}

/* From now on `advance` is called after each progress of UCX; NULL: nobody is. */
EXPORTED void ayatori_mpi_join_ucx_progress(advance* advance_ours) { atomic_store(&joined, advance_ours); }

EXPORTED unsigned ucp_worker_progress(void* worker) {
  static _Atomic(progress*) own;
  progress* function = atomic_load_explicit(&own, memory_order_relaxed);
  if (function == NULL) {
    function = find_own();
    if (function == NULL) return 0;
    atomic_store_explicit(&own, function, memory_order_relaxed);
  }
  const unsigned events = function(worker);
  advance* const advance_ours = atomic_load_explicit(&joined, memory_order_acquire);
  return advance_ours == NULL ? events : events + (unsigned)advance_ours();
}
