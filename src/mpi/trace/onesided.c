/* One-sided operations: each begins in its call, and ends in the call that completes it at its origin. */

#include "wrappers.h"

static void onesided(const char* name, double bytes, int target, MPI_Win window, const MPI_Request* request) {
  const int members = trace_window_members(window);
  const struct trace_operation made = {name, target == MPI_PROC_NULL ? -2 : trace_world_rank(members, target), 0,
                                       members, bytes};
  trace_begin_onesided(made, window, target, request);
}

/* With a request (MPI_Rput) and without (MPI_Put). */
#define BOTH(name, with_request, parameters, arguments, word, bytes)                                 \
  EACH(name, (UNPACK parameters), (UNPACK arguments), , onesided(word, bytes, target, window, NULL)) \
  EACH(with_request, (UNPACK parameters, MPI_Request * request), (UNPACK arguments, request), ,      \
       onesided(word, bytes, target, window, request))
#define ONESIDED(C, COUNT)                                                                                             \
  BOTH(Put##C, Rput##C,                                                                                                \
       (const void* data, COUNT count, MPI_Datatype type, int target, MPI_Aint at, COUNT there, MPI_Datatype its_type, \
        MPI_Win window),                                                                                               \
       (data, count, type, target, at, there, its_type, window), "put", bytes_of(count, type))                         \
  BOTH(Get##C, Rget##C,                                                                                                \
       (void* data, COUNT count, MPI_Datatype type, int target, MPI_Aint at, COUNT there, MPI_Datatype its_type,       \
        MPI_Win window),                                                                                               \
       (data, count, type, target, at, there, its_type, window), "get", bytes_of(count, type))                         \
  BOTH(Accumulate##C, Raccumulate##C,                                                                                  \
       (const void* data, COUNT count, MPI_Datatype type, int target, MPI_Aint at, COUNT there, MPI_Datatype its_type, \
        MPI_Op op, MPI_Win window),                                                                                    \
       (data, count, type, target, at, there, its_type, op, window), "accumulate", bytes_of(count, type))              \
  BOTH(Get_accumulate##C, Rget_accumulate##C,                                                                          \
       (const void* data, COUNT count, MPI_Datatype type, void* result, COUNT result_count, MPI_Datatype result_type,  \
        int target, MPI_Aint at, COUNT there, MPI_Datatype its_type, MPI_Op op, MPI_Win window),                       \
       (data, count, type, result, result_count, result_type, target, at, there, its_type, op, window), "accumulate",  \
       bytes_of(result_count, result_type))
ONESIDED(, int)
#if MPI_VERSION >= 4
ONESIDED(_c, MPI_Count)
#endif
EACH(Fetch_and_op,
     (const void* data, void* result, MPI_Datatype type, int target, MPI_Aint at, MPI_Op op, MPI_Win window),
     (data, result, type, target, at, op, window), , onesided("accumulate", bytes_of(1, type), target, window, NULL))
EACH(Compare_and_swap,
     (const void* data, const void* compared, void* result, MPI_Datatype type, int target, MPI_Aint at, MPI_Win window),
     (data, compared, result, type, target, at, window), ,
     onesided("accumulate", bytes_of(1, type), target, window, NULL))

/* A fence waits for all, too. */
static void fenced(MPI_Win window) {
  const struct trace_operation made = {"fence", -1, 0, trace_window_members(window), 0};
  trace_end_window(window, -1);
  trace_begin_operation(made, NULL);
}
EACH(Win_fence, (int assertion, MPI_Win window), (assertion, window), , fenced(window))
EACH(Win_complete, (MPI_Win window), (window), , trace_end_window(window, -1))
EACH(Win_unlock, (int target, MPI_Win window), (target, window), , trace_end_window(window, target))
EACH(Win_unlock_all, (MPI_Win window), (window), , trace_end_window(window, -1))
EACH(Win_flush, (int target, MPI_Win window), (target, window), , trace_end_window(window, target))
EACH(Win_flush_all, (MPI_Win window), (window), , trace_end_window(window, -1))
EACH(Win_flush_local, (int target, MPI_Win window), (target, window), , trace_end_window(window, target))
EACH(Win_flush_local_all, (MPI_Win window), (window), , trace_end_window(window, -1))
EACH(Win_free, (MPI_Win * window), (window), const MPI_Win was = *window, trace_end_window(was, -1);
     trace_forget_window(was))
