#pragma once
/// \file
/// libayatori_trace.so: writes down when a program's calls of MPI begin and end, which operations they begin and end,
/// and when bytes cross the network's interfaces. `ayatori explain` preloads it. With AYATORI_TRACE=DIR each
/// process writes DIR/rank-N.json in MPI_Finalize (docs/overlap.md); without it calls are only passed on.

#include <mpi.h>

#ifdef OPEN_MPI
/// Its handles are addresses in the MPI, which is not there in shells and launchers, and which a program may load
/// later. NULL until trace_start().
extern struct trace_handles {
  MPI_Comm world;
  MPI_Info no_info;
  MPI_Datatype byte, real, integer;
  MPI_Request no_request;
} trace_handles;
#undef MPI_COMM_WORLD
#undef MPI_INFO_NULL
#undef MPI_BYTE
#undef MPI_DOUBLE
#undef MPI_INT
#undef MPI_REQUEST_NULL
#define MPI_COMM_WORLD trace_handles.world
#define MPI_INFO_NULL trace_handles.no_info
#define MPI_BYTE trace_handles.byte
#define MPI_DOUBLE trace_handles.real
#define MPI_INT trace_handles.integer
#define MPI_REQUEST_NULL trace_handles.no_request
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

/// A call begins. Calls that our own calls make (in the MPI, or in another library) are not written down. Returns 1 if
/// this one is: then its operations that begin and end are to be recorded, before trace_leave().
int trace_enter(void);
/// It ends; to be called for each trace_enter().
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
/// How many they are.
int trace_member_count(int members);
/// The rank in MPI_COMM_WORLD of one of them; -1: there is none.
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
