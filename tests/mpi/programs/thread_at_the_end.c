/* A library that is loaded after the plug-in: says when the MPI's MPI_Finalize begins whether there is a thread named
 * "ayatori" then. */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "own_threads.h"

int PMPI_Finalize(void) {
  int (*const next)(void) = (int (*)(void))dlsym(RTLD_NEXT, "PMPI_Finalize");
  fprintf(stderr, "at the end: %s\n", find_thread("ayatori") != 0 ? "a thread" : "no thread");
  return next();
}
