/* The beginning and the end of a program and of its communicators. */

#include "wrappers.h"

EACH(Comm_free, (MPI_Comm * comm), (comm), const MPI_Comm was = *comm, trace_forget_communicator(was))
EACH(Comm_disconnect, (MPI_Comm * comm), (comm), const MPI_Comm was = *comm, trace_forget_communicator(was))

/* Fortran's functions call PMPI_Init, which MPI_Init may call as well: the outermost one counts. */
#define INIT(name, parameters, arguments, level)     \
  EXPORTED int name parameters {                     \
    int(*const next) parameters = trace_next(#name); \
    trace_refuse_others();                           \
    trace_enter();                                   \
    const int code = next arguments;                 \
    trace_leave();                                   \
    if (code == MPI_SUCCESS) trace_start(level);     \
    return code;                                     \
  }
INIT(MPI_Init, (int* argc, char*** argv), (argc, argv), MPI_THREAD_SINGLE)
INIT(PMPI_Init, (int* argc, char*** argv), (argc, argv), MPI_THREAD_SINGLE)
INIT(MPI_Init_thread, (int* argc, char*** argv, int required, int* provided), (argc, argv, required, provided),
     required)
INIT(PMPI_Init_thread, (int* argc, char*** argv, int required, int* provided), (argc, argv, required, provided),
     required)

#define FINALIZE(name)                           \
  EXPORTED int name(void) {                      \
    int (*const next)(void) = trace_next(#name); \
    trace_stop();                                \
    return next();                               \
  }
FINALIZE(MPI_Finalize)
FINALIZE(PMPI_Finalize)
