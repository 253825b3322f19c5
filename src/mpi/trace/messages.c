/* Messages between two processes. */

#include "array.h"
#include "wrappers.h"

static struct trace_operation message(const char* name, MPI_Count count, MPI_Datatype type, int peer, int tag,
                                      MPI_Comm comm) {
  const int members = trace_members(comm);
  const struct trace_operation made = {name, peer == MPI_PROC_NULL ? -2 : trace_world_rank(members, peer), tag, members,
                                       bytes_of(count, type)};
  return made;
}

/* C and COUNT: what follows a function's name, and the type of its counts (MPI_Send, MPI_Send_c). The MODE of a send:
 * synchronous ones wait for their receiver, buffered ones never do, whatever the MPI's eager limit is. */
#define SEND(name, COUNT, mode)                                                                  \
  EACH(name, (const void* data, COUNT count, MPI_Datatype type, int to, int tag, MPI_Comm comm), \
       (data, count, type, to, tag, comm), , trace_begin_operation(message(mode, count, type, to, tag, comm), NULL))
#define WITH_REQUEST(name, COUNT, data_type, peer, after)                                                          \
  EACH(name,                                                                                                       \
       (data_type * data, COUNT count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request* request), \
       (data, count, type, peer, tag, comm, request), , after)
#define ISEND(name, COUNT, mode) \
  WITH_REQUEST(name, COUNT, const void, to, trace_begin_operation(message(mode, count, type, to, tag, comm), request))
#define SEND_INIT(name, COUNT, mode) \
  WITH_REQUEST(name, COUNT, const void, to, trace_make_persistent(message(mode, count, type, to, tag, comm), *request))
#define OWN_STATUS   \
  MPI_Status unused; \
  status = status == MPI_STATUS_IGNORE ? &unused : status
/* A blocking receive: what its status says it got. */
static void received(MPI_Count count, MPI_Datatype type, int from, int tag, MPI_Comm comm, const MPI_Status* status) {
  int (*const get_count)(const MPI_Status*, MPI_Datatype, int*) = trace_next("PMPI_Get_count");
  struct trace_operation made = message("receive", count, type, from, tag, comm);
  int bytes = MPI_UNDEFINED;
  if (made.peer != -2 && status->MPI_SOURCE >= 0) {
    made.peer = trace_world_rank(made.members, status->MPI_SOURCE);
    made.tag = status->MPI_TAG;
    if (get_count(status, MPI_BYTE, &bytes) == MPI_SUCCESS && bytes != MPI_UNDEFINED) made.bytes = bytes;
  }
  trace_begin_operation(made, NULL);
}

#define MESSAGES(C, COUNT)                                                                                          \
  SEND(Send##C, COUNT, "send")                                                                                      \
  SEND(Ssend##C, COUNT, "synchronous send")                                                                         \
  SEND(Rsend##C, COUNT, "send")                                                                                     \
  SEND(Bsend##C, COUNT, "buffered send")                                                                            \
  EACH(Recv##C, (void* data, COUNT count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status), \
       (data, count, type, from, tag, comm, status), OWN_STATUS, received(count, type, from, tag, comm, status))    \
  EACH(Sendrecv##C,                                                                                                 \
       (const void* sent, COUNT sent_count, MPI_Datatype sent_type, int to, int sent_tag, void* data, COUNT count,  \
        MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status),                                   \
       (sent, sent_count, sent_type, to, sent_tag, data, count, type, from, tag, comm, status), OWN_STATUS,         \
       trace_begin_operation(message("send", sent_count, sent_type, to, sent_tag, comm), NULL);                     \
       received(count, type, from, tag, comm, status))                                                              \
  EACH(Sendrecv_replace##C,                                                                                         \
       (void* data, COUNT count, MPI_Datatype type, int to, int sent_tag, int from, int tag, MPI_Comm comm,         \
        MPI_Status* status),                                                                                        \
       (data, count, type, to, sent_tag, from, tag, comm, status), OWN_STATUS,                                      \
       trace_begin_operation(message("send", count, type, to, sent_tag, comm), NULL);                               \
       received(count, type, from, tag, comm, status))                                                              \
  ISEND(Isend##C, COUNT, "send")                                                                                    \
  ISEND(Issend##C, COUNT, "synchronous send")                                                                       \
  ISEND(Irsend##C, COUNT, "send")                                                                                   \
  ISEND(Ibsend##C, COUNT, "buffered send")                                                                          \
  WITH_REQUEST(Irecv##C, COUNT, void, from,                                                                         \
               trace_begin_operation(message("receive", count, type, from, tag, comm), request))                    \
  SEND_INIT(Send_init##C, COUNT, "send")                                                                            \
  SEND_INIT(Ssend_init##C, COUNT, "synchronous send")                                                               \
  SEND_INIT(Rsend_init##C, COUNT, "send")                                                                           \
  SEND_INIT(Bsend_init##C, COUNT, "buffered send")                                                                  \
  WITH_REQUEST(Recv_init##C, COUNT, void, from,                                                                     \
               trace_make_persistent(message("receive", count, type, from, tag, comm), *request))

/* ---- Messages that were matched by a probe, which alone names the communicator. */

struct matched {
  MPI_Message message;
  MPI_Comm comm;
};
ARRAY(struct matched, probed);

static void note_probed(MPI_Message message, MPI_Comm comm) {
  const struct matched made = {message, comm};
  APPEND(probed, made);
}

static MPI_Comm communicator_of(MPI_Message message) {
  MPI_Comm found = MPI_COMM_WORLD;
  for (int i = probed.count - 1; i >= 0; --i) {
    if (probed.of[i].message != message) continue;
    found = probed.of[i].comm;
    probed.of[i] = probed.of[--probed.count];
    break;
  }
  return found;
}

#define MATCHED(C, COUNT)                                                                                        \
  EACH(Mrecv##C, (void* data, COUNT count, MPI_Datatype type, MPI_Message* handle, MPI_Status* status),          \
       (data, count, type, handle, status), OWN_STATUS;                                                          \
       const MPI_Message was = *handle, received(count, type, MPI_ANY_SOURCE, 0, communicator_of(was), status))  \
  EACH(Imrecv##C, (void* data, COUNT count, MPI_Datatype type, MPI_Message* handle, MPI_Request* request),       \
       (data, count, type, handle, request), const MPI_Message was = *handle,                                    \
       trace_begin_operation(message("receive", count, type, MPI_ANY_SOURCE, MPI_ANY_TAG, communicator_of(was)), \
                             request))

EACH(Mprobe, (int from, int tag, MPI_Comm comm, MPI_Message* handle, MPI_Status* status),
     (from, tag, comm, handle, status), , note_probed(*handle, comm))
EACH(Improbe, (int from, int tag, MPI_Comm comm, int* found, MPI_Message* handle, MPI_Status* status),
     (from, tag, comm, found, handle, status), , if (*found) note_probed(*handle, comm))

MESSAGES(, int)
MATCHED(, int)
#if MPI_VERSION >= 4
MESSAGES(_c, MPI_Count)
MATCHED(_c, MPI_Count)

#define TOGETHER(C, COUNT)                                                                                         \
  EACH(Isendrecv##C,                                                                                               \
       (const void* sent, COUNT sent_count, MPI_Datatype sent_type, int to, int sent_tag, void* data, COUNT count, \
        MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request),                                \
       (sent, sent_count, sent_type, to, sent_tag, data, count, type, from, tag, comm, request), ,                 \
       trace_begin_joined(message("receive", count, type, from, tag, comm),                                        \
                          message("send", sent_count, sent_type, to, sent_tag, comm), request))                    \
  EACH(Isendrecv_replace##C,                                                                                       \
       (void* data, COUNT count, MPI_Datatype type, int to, int sent_tag, int from, int tag, MPI_Comm comm,        \
        MPI_Request* request),                                                                                     \
       (data, count, type, to, sent_tag, from, tag, comm, request), ,                                              \
       trace_begin_joined(message("receive", count, type, from, tag, comm),                                        \
                          message("send", count, type, to, sent_tag, comm), request))
TOGETHER(, int)
TOGETHER(_c, MPI_Count)

#define PARTITIONED(name, data_type, word)                                                                 \
  EACH(name,                                                                                               \
       (data_type * data, int parts, MPI_Count count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, \
        MPI_Info info, MPI_Request* request),                                                              \
       (data, parts, count, type, peer, tag, comm, info, request), ,                                       \
       trace_make_persistent(message(word, parts* count, type, peer, tag, comm), *request))
PARTITIONED(Psend_init, const void, "partitioned send")
PARTITIONED(Precv_init, void, "partitioned receive")
#endif
EACH(Start, (MPI_Request * request), (request), , trace_start_persistent(*request))
EACH(Startall, (int count, MPI_Request requests[]), (count, requests), ,
     for (int i = 0; i < count; ++i) trace_start_persistent(requests[i]))
