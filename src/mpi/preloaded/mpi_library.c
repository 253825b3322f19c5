#include "mpi_library.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

static void* loaded_later; /* NULL: the MPI is among the libraries of the start, or not known yet */

/* Files that may be an MPI library, as the loader has them. */
static struct {
  char names[8][1024];
  int count;
} candidates;

static int note_candidate(struct dl_phdr_info* info, size_t size, void* unused) {
  (void)size;
  (void)unused;
  const char* const file = strrchr(info->dlpi_name, '/');
  if (file == NULL || strncmp(file, "/libmpi", 7) != 0 || strlen(info->dlpi_name) >= sizeof *candidates.names) return 0;
  strcpy(candidates.names[candidates.count++], info->dlpi_name);
  return candidates.count == sizeof candidates.names / sizeof *candidates.names;
}

/* A program that loads MPI by dlopen has it in a scope of its own, which neither RTLD_NEXT nor libraries that we load
 * see. Asked for again with RTLD_GLOBAL, the same library becomes visible to all. */
static void find_loaded_later(void) {
  candidates.count = 0;
  dl_iterate_phdr(note_candidate, NULL);
  for (int i = 0; i < candidates.count && loaded_later == NULL; ++i) {
    void* const library = dlopen(candidates.names[i], RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
    if (library != NULL && dlsym(library, "PMPI_Init") != NULL) loaded_later = library;
  }
}

static int is_ours(void* function) {
  Dl_info here;
  Dl_info there;
  return dladdr((void*)&loaded_later, &here) != 0 && dladdr(function, &there) != 0 && here.dli_fbase == there.dli_fbase;
}

static void* function_of_the_start(const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  if (found == NULL) found = dlsym(RTLD_DEFAULT, name);
  return found == NULL || is_ours(found) ? NULL : found;
}

void* mpi_library_function(const char* name) {
  /* By a function that no library of ours defines: several of them may be preloaded. */
  if (loaded_later == NULL && dlsym(RTLD_DEFAULT, "PMPI_Get_version") == NULL) find_loaded_later();
  void* const found = function_of_the_start(name);
  return found == NULL && loaded_later != NULL ? dlsym(loaded_later, name) : found;
}

void* mpi_library_variable(const char* name) {
  void* const found = dlsym(RTLD_DEFAULT, name);
  return found == NULL && loaded_later != NULL ? dlsym(loaded_later, name) : found;
}

void* mpi_library_function_loaded_later(const char* name) {
  find_loaded_later();
  return loaded_later == NULL ? NULL : dlsym(loaded_later, name);
}

int mpi_library_has_standard_abi(void) {
  int (*get_version)(int*, int*);
  void* const found = mpi_library_function("PMPI_Abi_get_version");
  if (found == NULL) return 0;
  memcpy(&get_version, &found, sizeof found);
  int major = 0;
  int minor = 0;
  get_version(&major, &minor); /* -1 of a library that has both, in its own ABI */
  return major > 0;
}
