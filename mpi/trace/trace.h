#pragma once
/// \file
/// libayatori_trace.so: writes down when a program's calls of MPI begin and end, which operations they begin and end,
/// and when bytes cross the network's interfaces. `ayatori explain overlap` preloads it. With AYATORI_TRACE=DIR each
/// process writes DIR/rank-N.json in MPI_Finalize (docs/overlap.md); without it calls are only passed on.

#include <mpi.h>

#ifdef OPEN_MPI
/* Its handles are addresses in the MPI, which is not there in shells and launchers. */
#pragma weak ompi_mpi_comm_world
#pragma weak ompi_mpi_info_null
#pragma weak ompi_mpi_byte
#pragma weak ompi_mpi_double
#pragma weak ompi_mpi_int
#pragma weak ompi_request_null
#endif

/// Seconds of CLOCK_MONOTONIC.
double trace_now(void);

/// The function of this name after ours: the MPI's, or that of another library that is preloaded. Aborts without one.
void* trace_next(const char* name);

/// An operation as it is written down. `peer`: in MPI_COMM_WORLD; -1: any process, or all of the communicator.
struct trace_operation {
  const char* name;
  int peer;
  int tag;
  int members;   ///< which processes its communicator has: a number of trace_members()
  double bytes;  ///< that this process sends, or receives at most
};

// ---- record.c

/// A call begins. Calls that our own calls make (in the MPI, or in another library) are not written down.
/// Returns 1 if trace_leave() must end it.
int trace_enter(void);
/// It ends: it began `begun` operations at requests[i], described by operation[i], and has ended those of `done`
/// (numbers of trace_operation_of). To be called with what trace_enter() has returned, if that is 1.
void trace_leave(const char* name, double begin, double end);
/// In the call that is under way: an operation begins. `request`: by which it is ended; null: when the call ends.
void trace_begin_operation(struct trace_operation operation, const MPI_Request* request);
/// The request is persistent: each MPI_Start begins such an operation.
void trace_make_persistent(struct trace_operation operation, MPI_Request request);
void trace_start_persistent(MPI_Request request);
/// The operation of this request is over. The request is as it was before the call.
void trace_end_operation(MPI_Request request);
void trace_forget(MPI_Request request);
/// A number for the members of a communicator, the same whenever these are the same.
int trace_members(MPI_Comm comm);
int trace_world_rank(int members, int rank);
void trace_forget_communicator(MPI_Comm comm);
void trace_start_recording(void);
/// Writes rank-N.json into the folder. `head`: keys of the beginning.
void trace_write(const char* folder, const char* head);

// ---- traffic.c

/// A thread that samples what the interfaces have sent and received, every millisecond.
void trace_start_traffic(void);
void trace_stop_traffic(void);
/// `[[seconds, sent, received, loopback], …]` into the file.
struct _IO_FILE;
void trace_write_traffic(struct _IO_FILE* file);

// ---- start.c

/// In MPI_Init: clocks are compared, and the eager limit is measured.
void trace_start(int asked);
void trace_stop(void);
