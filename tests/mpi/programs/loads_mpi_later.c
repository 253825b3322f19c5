/* loads_mpi_later LIBRARY [escape]: opens the MPI library itself, and calls it by what the linker finds, or with
 * `escape` by what the library itself has, past whatever was preloaded. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

static void* library;
static int escapes;

static void* find(const char* name) { return escapes ? dlsym(library, name) : dlsym(RTLD_DEFAULT, name); }

int main(int argc, char** argv) {
  library = dlopen(argv[1], RTLD_NOW | (argc > 2 ? RTLD_LOCAL : RTLD_GLOBAL));
  escapes = argc > 2;
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  int (*init)(int*, char***) = (int (*)(int*, char***))find("MPI_Init");
  int (*barrier)(MPI_Comm) = (int (*)(MPI_Comm))find("MPI_Barrier");
  int (*finalize)(void) = (int (*)(void))find("MPI_Finalize");
  init(&argc, &argv);
  MPI_Comm* world = dlsym(library, "ompi_mpi_comm_world");
#ifdef OPEN_MPI
  barrier((MPI_Comm)world);
#else
  (void)world;
  barrier(MPI_COMM_WORLD);
#endif
  finalize();
  puts("right");
  return 0;
}
