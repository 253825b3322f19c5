#pragma once
/// \file
/// libayatori_trace.so: writes down when a program's calls of MPI begin and end, which operations they begin and end,
/// and when bytes cross the network's interfaces. `ayatori explain` preloads it. With AYATORI_TRACE=DIR each
/// process writes DIR/rank-N.json in MPI_Finalize (docs/overlap.md); without it calls are only passed on. A program of
/// the other MPI family is refused.

#include <mpi.h>

#ifdef OPEN_MPI
/// Its handles are addresses in the MPI, which is not there in shells and launchers, and which a program may load
/// later. NULL until trace_start().
extern struct trace_handles {
  MPI_Comm world, no_comm;
  MPI_Info no_info;
  MPI_Datatype byte, real, integer, no_type;
  MPI_Request no_request;
} trace_handles;
#undef MPI_COMM_WORLD
#undef MPI_COMM_NULL
#undef MPI_INFO_NULL
#undef MPI_DATATYPE_NULL
#undef MPI_BYTE
#undef MPI_DOUBLE
#undef MPI_INT
#undef MPI_REQUEST_NULL
#define MPI_COMM_WORLD trace_handles.world
#define MPI_COMM_NULL trace_handles.no_comm
#define MPI_INFO_NULL trace_handles.no_info
#define MPI_DATATYPE_NULL trace_handles.no_type
#define MPI_BYTE trace_handles.byte
#define MPI_DOUBLE trace_handles.real
#define MPI_INT trace_handles.integer
#define MPI_REQUEST_NULL trace_handles.no_request
#endif

/// Seconds of CLOCK_MONOTONIC.
double trace_now(void);

/// The function of this name after ours: the MPI's, or that of another library that is preloaded. Aborts without one.
void* trace_next(const char* name);

/// An operation as it is written down. `peer`: in MPI_COMM_WORLD; -1: any process, or all of the communicator; of a
/// rooted collective the root. `tag`: of a collective of neighbours the number of those that this process sends to, as
/// `members`.
struct trace_operation {
  const char* name;
  int peer;
  int tag;
  int members;   ///< which processes its communicator has: a number of trace_members()
  double bytes;  ///< that this process sends, or receives at most
};

// ---- record.c

/// A call begins. Calls that our own calls make (in the MPI, or in another library) are not written down. Returns 1 if
/// this one is.
int trace_enter(void);
/// The call has returned. Between these two its operations that begin and end are recorded, by one thread at a time.
/// To be called only if trace_enter() returned 1.
void trace_lock(void);
void trace_record(const char* name, double begin, double end);
/// To be called for each trace_enter().
void trace_leave(void);

/// An operation begins. `request`: by which it is ended; null: when the call ends.
void trace_begin_operation(struct trace_operation operation, const MPI_Request* request);
/// Two that have one request (MPI_Isendrecv).
void trace_begin_joined(struct trace_operation first, struct trace_operation second, const MPI_Request* request);
/// One that ends with its window's epoch, or with `request` if that is not null. `target`: the rank in the window.
void trace_begin_onesided(struct trace_operation operation, MPI_Win window, int target, const MPI_Request* request);
/// One that ends with the second half of a split collective on this file.
void trace_begin_split(struct trace_operation operation, MPI_File file);
/// The request is persistent: each MPI_Start begins such an operation.
void trace_make_persistent(struct trace_operation operation, MPI_Request request);
void trace_start_persistent(MPI_Request request);
/// The operation of this request is over. The request is as it was before the call. `status`: the call's.
void trace_end_operation(MPI_Request request, const MPI_Status* status);
/// The call asked for the operation of this request in vain.
void trace_test_operation(MPI_Request request);
/// What was begun on this window is over: at this target, or (-1) at all.
void trace_end_window(MPI_Win window, int target);
void trace_end_split(MPI_File file);
void trace_forget(MPI_Request request);
/// A call of a function whose operations the trace does not know. Counted only.
void trace_count_unseen(const char* name);
void trace_start_recording(void);
/// Writes rank-N.json into the folder. `head`: keys of the beginning.
void trace_write(const char* folder, const char* head);

// ---- members.c

/// A number for the processes of a communicator, the same whenever these are the same. Of an intercommunicator: those
/// of the other group, which its ranks name.
int trace_members(MPI_Comm comm);
int trace_window_members(MPI_Win window);
/// The number of these processes, ranks in MPI_COMM_WORLD.
int trace_group(int count, const int world[]);
/// How many they are.
int trace_member_count(int members);
/// The rank in MPI_COMM_WORLD of one of them; -1: there is none.
int trace_world_rank(int members, int rank);
void trace_forget_communicator(MPI_Comm comm);
void trace_forget_window(MPI_Win window);
/// `[[0, 1, …], …]` into the file.
struct _IO_FILE;
void trace_write_members(struct _IO_FILE* file);

// ---- traffic.c

/// A thread that samples what the interfaces have sent and received, every millisecond.
void trace_start_traffic(void);
void trace_stop_traffic(void);
/// `[[seconds, sent, received, loopback], …]` into the file.
void trace_write_traffic(struct _IO_FILE* file);

// ---- start.c

/// Ends the process if its MPI is of the other family, whose handles and constants this library does not know.
/// To be called before MPI_Init, after trace_next().
void trace_refuse_others(void);
/// Whether the MPI has the standard ABI: its handles are not ours, so nothing is written down, and calls go on as they
/// are. The first process says so when it is asked first.
int trace_passes_on(void);
/// In MPI_Init: clocks are compared, and the eager limit is measured.
void trace_start(int asked);
void trace_stop(void);
