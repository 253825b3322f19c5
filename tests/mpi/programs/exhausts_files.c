/* exhausts_files: preloaded behind the plug-in, it leaves the process no descriptor once the MPI has begun. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

static int exhausted(int code) {
  const int first_free = dup(0);
  close(first_free);
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = (rlim_t)first_free;
  setrlimit(RLIMIT_NOFILE, &limit);
  return code;
}

int PMPI_Init(int* argc, char*** argv) {
  return exhausted(((int (*)(int*, char***))dlsym(RTLD_NEXT, "PMPI_Init"))(argc, argv));
}

int PMPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  int (*next)(int*, char***, int, int*) = (int (*)(int*, char***, int, int*))dlsym(RTLD_NEXT, "PMPI_Init_thread");
  return exhausted(next(argc, argv, required, provided));
}
