/* Reading and writing files without blocking: with a request, or by the two halves of a split collective. */

#include "wrappers.h"

static struct trace_operation on_file(const char* name, MPI_Count count, MPI_Datatype type) {
  const struct trace_operation made = {name, -1, 0, trace_members(MPI_COMM_WORLD), bytes_of(count, type)};
  return made;
}

#define WITH_REQUEST(name, data_type, COUNT, word)                                                     \
  EACH(name, (MPI_File file, data_type * data, COUNT count, MPI_Datatype type, MPI_Request * request), \
       (file, data, count, type, request), , trace_begin_operation(on_file(word, count, type), request))
#define WITH_REQUEST_AT(name, data_type, COUNT, word)                                                                 \
  EACH(name, (MPI_File file, MPI_Offset at, data_type * data, COUNT count, MPI_Datatype type, MPI_Request * request), \
       (file, at, data, count, type, request), , trace_begin_operation(on_file(word, count, type), request))
#define BEGIN(name, data_type, COUNT, word)                                                                  \
  EACH(name, (MPI_File file, data_type * data, COUNT count, MPI_Datatype type), (file, data, count, type), , \
       trace_begin_split(on_file(word, count, type), file))
#define BEGIN_AT(name, data_type, COUNT, word)                                                 \
  EACH(name, (MPI_File file, MPI_Offset at, data_type * data, COUNT count, MPI_Datatype type), \
       (file, at, data, count, type), , trace_begin_split(on_file(word, count, type), file))
#define END(name, data_type) \
  EACH(name, (MPI_File file, data_type * data, MPI_Status * status), (file, data, status), , trace_end_split(file))

#define FILES(C, COUNT)                                                   \
  WITH_REQUEST(File_iread##C, void, COUNT, "file read")                   \
  WITH_REQUEST(File_iread_all##C, void, COUNT, "file read")               \
  WITH_REQUEST(File_iread_shared##C, void, COUNT, "file read")            \
  WITH_REQUEST_AT(File_iread_at##C, void, COUNT, "file read")             \
  WITH_REQUEST_AT(File_iread_at_all##C, void, COUNT, "file read")         \
  WITH_REQUEST(File_iwrite##C, const void, COUNT, "file write")           \
  WITH_REQUEST(File_iwrite_all##C, const void, COUNT, "file write")       \
  WITH_REQUEST(File_iwrite_shared##C, const void, COUNT, "file write")    \
  WITH_REQUEST_AT(File_iwrite_at##C, const void, COUNT, "file write")     \
  WITH_REQUEST_AT(File_iwrite_at_all##C, const void, COUNT, "file write") \
  BEGIN(File_read_all_begin##C, void, COUNT, "file read")                 \
  BEGIN_AT(File_read_at_all_begin##C, void, COUNT, "file read")           \
  BEGIN(File_read_ordered_begin##C, void, COUNT, "file read")             \
  BEGIN(File_write_all_begin##C, const void, COUNT, "file write")         \
  BEGIN_AT(File_write_at_all_begin##C, const void, COUNT, "file write")   \
  BEGIN(File_write_ordered_begin##C, const void, COUNT, "file write")
FILES(, int)
#if MPI_VERSION >= 4
FILES(_c, MPI_Count)
#endif
END(File_read_all_end, void)
END(File_read_at_all_end, void)
END(File_read_ordered_end, void)
END(File_write_all_end, const void)
END(File_write_at_all_end, const void)
END(File_write_ordered_end, const void)
