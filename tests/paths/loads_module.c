/* Loads the module of connects.c into a scope of its own, and runs it. */

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  void* const module = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  void* const found = module == NULL ? NULL : dlsym(module, "make_connections");
  if (found == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  int (*make_connections)(void);
  memcpy(&make_connections, &found, sizeof found);
  return make_connections();
}
