/* A file is written while the ranks compute. */
#include "explained.h"

#include <stdio.h>

static void program(void) {
  char name[64], *data = bytes(1 << 16);
  MPI_File file;
  MPI_Request request;
  snprintf(name, sizeof name, "explained-%d.out", (int)getpid());
  MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                &file);
  MPI_File_iwrite_at(file, 0, data, 1 << 16, MPI_BYTE, &request);
  compute();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_File_write_at_all_begin(file, 0, data, 1 << 16, MPI_BYTE);
  compute();
  MPI_File_write_at_all_end(file, data, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}
