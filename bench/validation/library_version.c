/* Prints what the MPI calls itself. */

#include <mpi.h>
#include <stdio.h>

int main(void) {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  puts(text);
  return 0;
}
