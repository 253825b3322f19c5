#pragma once
/* How an MPI function is written down. Each wrapper calls the function of the same name after it: the MPI's, or that of
 * another library that is preloaded. */

#include <stddef.h>

#include "entry.h"
#include "trace.h"

#define EXPORTED __attribute__((visibility("default")))

/* EACH(NAME, PARAMETERS, ARGUMENTS, BEFORE, AFTER): MPI_NAME and PMPI_NAME, which Fortran's functions of Open MPI call.
 * BEFORE and AFTER see the arguments, AFTER only if the call is written down. */
#define WRAPPER(attributes, prefix, name, parameters, arguments, before, after)                            \
  static int(*next_##prefix##name) parameters;                                                             \
  static int traced_##prefix##name parameters {                                                            \
    const int recorded = trace_enter();                                                                    \
    before;                                                                                                \
    const double begin = trace_now();                                                                      \
    const int code = next_##prefix##name arguments;                                                        \
    const double end = trace_now();                                                                        \
    if (recorded) {                                                                                        \
      trace_lock();                                                                                        \
      after;                                                                                               \
      trace_record("MPI_" #name, begin, end);                                                              \
    }                                                                                                      \
    trace_leave();                                                                                         \
    return code;                                                                                           \
  }                                                                                                        \
  static int(*called_##prefix##name(void)) parameters {                                                    \
    if (__builtin_expect(next_##prefix##name == NULL, 0)) next_##prefix##name = trace_next(#prefix #name); \
    return trace_passes_on() ? next_##prefix##name : traced_##prefix##name;                                \
  }                                                                                                        \
  AYATORI_ENTRY(attributes, prefix##name, arguments, called_##prefix##name())
#define EACH(name, parameters, arguments, before, after)              \
  WRAPPER(EXPORTED, MPI_, name, parameters, arguments, before, after) \
  WRAPPER(EXPORTED, PMPI_, name, parameters, arguments, before, after)
#define UNPACK(...) __VA_ARGS__

static inline double bytes_of(MPI_Count count, MPI_Datatype type) {
  static int (*type_size)(MPI_Datatype, int*);
  if (type_size == NULL) type_size = trace_next("PMPI_Type_size");
  int size = 0;
  if (type != MPI_DATATYPE_NULL) type_size(type, &size); /* of no type where this process gives nothing */
  return (double)count * size;
}
