/* refuses_shared_memory: preloaded, it lets the memory of a node not be made (REFUSED=make) or not be joined (join), as
 * in a process that has no descriptor left. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int refused(const char* what) {
  const char* const named = getenv("REFUSED");
  if (named == NULL || strcmp(named, what) != 0) return 0;
  errno = EMFILE;
  return 1;
}

int memfd_create(const char* name, unsigned flags) {
  int (*next)(const char*, unsigned) = (int (*)(const char*, unsigned))dlsym(RTLD_NEXT, "memfd_create");
  return refused("make") ? -1 : next(name, flags);
}

/* The MPI shares memory in the same way. */
static int is_memory_of_a_node(const char* path) {
  char file[64] = "";
  return readlink(path, file, sizeof file - 1) > 0 && strstr(file, "memfd:ayatori") != NULL;
}

int open(const char* path, int flags, ...) {
  int (*next)(const char*, int, ...) = (int (*)(const char*, int, ...))dlsym(RTLD_NEXT, "open");
  if (strncmp(path, "/proc/", 6) == 0 && is_memory_of_a_node(path) && refused("join")) return -1;
  va_list more;
  va_start(more, flags);
  const mode_t mode = va_arg(more, mode_t);
  va_end(more);
  return next(path, flags, mode);
}
