#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "array.h"
#include "mpi_library.h"
#include "trace.h"

enum { max_calls = 2000000, max_unseen = 64 };

/* Calls that begin and end nothing, as polls do, are one entry if less than this is between them. */
static const double max_gap = 50e-6;
/* A program that does so little between two polls does nothing but poll. */
static const double poll_gap = 2e-6;

struct call {
  const char* name;
  double begin;
  double end;
  double inside; /* seconds in MPI; of one call from its begin to its end */
  int begun;     /* the first operation that it began; those of the next call follow its own */
  int ended;     /* the same in `ended` */
  int tested;    /* an operation that it asked for in vain; -1: none */
};

struct outstanding {
  MPI_Request request;
  uintptr_t window, file; /* 0: none */
  int target;
  int operation; /* -1: a persistent request that is not started */
  int joined;    /* another operation of the same request; -1: none */
  int persistent;
  struct trace_operation description;
};

struct unseen {
  const char* name;
  long calls;
};

ARRAY(struct call, calls);
ARRAY(struct trace_operation, operations);
ARRAY(int, ended);
ARRAY(struct outstanding, outstanding);
ARRAY(struct unseen, unseen);

static pthread_mutex_t mutex;
static pthread_once_t is_made = PTHREAD_ONCE_INIT;
static __thread int depth; /* of calls of this thread: only the outermost is the program's */
static __thread int is_counted;
static atomic_int threads; /* that call MPI */
static atomic_int recording;
static long left_out;
static long unknown_requests;
static int first_begun;
static int first_ended;
static int tested;
static double recorded_from;

double trace_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void* trace_next(const char* name) {
  /* Not only the MPI's: another library that is preloaded (the plug-in) may be before it. */
  void* found = dlsym(RTLD_NEXT, name);
  if (found == NULL) found = mpi_library_function(name);
  if (found != NULL) return found;
  fprintf(stderr, "ayatori: this process has no %s: it calls MPI, but no MPI library is loaded\n", name);
  abort();
}

/* Of one thread several times, since MPI calls us while we ask it for a communicator's members. */
static void make_mutex(void) {
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&mutex, &kind);
  pthread_mutexattr_destroy(&kind);
}

int trace_enter(void) {
  if (++depth > 1 || !recording) return 0;
  if (!is_counted) ++threads;
  is_counted = 1;
  return 1;
}

void trace_leave(void) { --depth; }

void trace_lock(void) {
  pthread_mutex_lock(&mutex);
  first_begun = operations.count;
  first_ended = ended.count;
  tested = -1;
}

/* Whether a call continues the entry before it: another poll, or the one that has found something. */
static int continues(const struct call* last, const struct call* now) {
  const double gap = now->begin - last->end;
  const int begins = now->begun != operations.count;
  const int ends = now->ended != ended.count;
  if (last->begun != now->begun || last->ended != now->ended || begins || gap < 0) return 0;
  const int same = strcmp(last->name, now->name) == 0;
  if (ends) {
    const int is_found = ended.of[now->ended] == last->tested;
    return same && is_found && gap < poll_gap && last->inside > 0.9 * (last->end - last->begin);
  }
  const int is_short = now->end - now->begin < max_gap && last->end - last->begin < max_gap;
  return gap < max_gap && last->tested == now->tested && (same || is_short);
}

void trace_record(const char* name, double begin, double end) {
  const struct call made = {name, begin, end, end - begin, first_begun, first_ended, tested};
  struct call* const last = calls.count > 0 ? &calls.of[calls.count - 1] : NULL;
  if (last != NULL && continues(last, &made)) {
    const double gap = begin - last->end;
    last->inside += end - begin + (gap < poll_gap ? gap : 0);
    last->end = end;
  } else if (calls.count == max_calls) {
    ++left_out;
  } else {
    APPEND(calls, made);
  }
  pthread_mutex_unlock(&mutex);
}

/* ---- Operations. All but trace_forget() between trace_lock() and trace_record(). */

static int is_full(void) { return calls.count == max_calls; }

static int add(struct trace_operation operation) {
  APPEND(operations, operation);
  return operations.count - 1;
}

static void begin(struct trace_operation operation, const MPI_Request* request, uintptr_t window, uintptr_t file,
                  int target) {
  if (is_full()) return;
  const struct outstanding made = {
      request == NULL ? MPI_REQUEST_NULL : *request, window, file, target, add(operation), -1, 0, operation};
  APPEND(outstanding, made);
}

void trace_begin_operation(struct trace_operation operation, const MPI_Request* request) {
  if (request != NULL) {
    begin(operation, request, 0, 0, -1);
  } else if (!is_full()) {
    const int number = add(operation);
    APPEND(ended, number);
  }
}

void trace_begin_joined(struct trace_operation first, struct trace_operation second, const MPI_Request* request) {
  if (is_full()) return;
  begin(first, request, 0, 0, -1);
  outstanding.of[outstanding.count - 1].joined = add(second);
}

void trace_begin_onesided(struct trace_operation operation, MPI_Win window, int target, const MPI_Request* request) {
  begin(operation, request, (uintptr_t)window, 0, target);
}

void trace_begin_split(struct trace_operation operation, MPI_File file) {
  begin(operation, NULL, 0, (uintptr_t)file, -1);
}

void trace_make_persistent(struct trace_operation operation, MPI_Request request) {
  const struct outstanding made = {request, 0, 0, -1, -1, -1, 1, operation};
  APPEND(outstanding, made);
}

static int find(MPI_Request request) {
  if (request == MPI_REQUEST_NULL) return -1;
  for (int i = outstanding.count - 1; i >= 0; --i) {
    if (outstanding.of[i].request == request) return i;
  }
  return -1;
}

void trace_start_persistent(MPI_Request request) {
  if (is_full()) return;
  const int place = find(request);
  if (place >= 0) {
    outstanding.of[place].operation = add(outstanding.of[place].description);
  } else {
    ++unknown_requests;
  }
}

static void take_out(int place) { outstanding.of[place] = outstanding.of[--outstanding.count]; }

static void end_at(int place) {
  if (outstanding.of[place].operation >= 0) APPEND(ended, outstanding.of[place].operation);
  outstanding.of[place].operation = -1;
  if (!outstanding.of[place].persistent) take_out(place);
}

/* A receive may be from anybody, and get less than it takes: its status says what it got. */
static void complete_receive(struct trace_operation* receive, const MPI_Status* status) {
  int (*const get_count)(const MPI_Status*, MPI_Datatype, int*) = trace_next("PMPI_Get_count");
  int bytes = MPI_UNDEFINED;
  if (receive->peer == -2 || strcmp(receive->name, "receive") != 0) return;
  if (get_count(status, MPI_BYTE, &bytes) == MPI_SUCCESS && bytes != MPI_UNDEFINED) receive->bytes = bytes;
  if (status->MPI_SOURCE >= 0) receive->peer = trace_world_rank(receive->members, status->MPI_SOURCE);
  if (status->MPI_TAG >= 0) receive->tag = status->MPI_TAG;
}

/* Of several operations that have one request, since the MPI had completed them at once, one is over. */
void trace_end_operation(MPI_Request request, const MPI_Status* status) {
  const int place = find(request);
  if (place < 0) {
    unknown_requests += request != MPI_REQUEST_NULL && left_out == 0;
    return;
  }
  const int number = outstanding.of[place].operation;
  const int joined = outstanding.of[place].joined;
  if (number >= 0 && status != NULL) complete_receive(&operations.of[number], status);
  end_at(place);
  if (joined >= 0) APPEND(ended, joined);
}

void trace_test_operation(MPI_Request request) {
  const int place = find(request);
  if (tested < 0 && place >= 0) tested = outstanding.of[place].operation;
}

void trace_end_window(MPI_Win window, int target) {
  for (int i = outstanding.count - 1; i >= 0; --i) {
    struct outstanding* const one = &outstanding.of[i];
    if (one->window != (uintptr_t)window || (target >= 0 && one->target != target)) continue;
    const int has_request = one->request != MPI_REQUEST_NULL; /* which the program still has to wait for */
    one->window = 0;
    one->persistent = has_request;
    end_at(i);
    one->persistent = 0;
  }
}

void trace_end_split(MPI_File file) {
  for (int i = outstanding.count - 1; i >= 0; --i) {
    if (outstanding.of[i].file == (uintptr_t)file) end_at(i);
  }
}

void trace_forget(MPI_Request request) {
  const int place = find(request);
  if (place >= 0) take_out(place);
}

void trace_count_unseen(const char* name) {
  for (int i = 0; i < unseen.count; ++i) {
    if (strcmp(unseen.of[i].name, name) != 0) continue;
    ++unseen.of[i].calls;
    return;
  }
  const struct unseen made = {name, 1};
  if (unseen.count < max_unseen) APPEND(unseen, made);
}

/* ---- The file */

void trace_start_recording(void) {
  pthread_once(&is_made, make_mutex);
  recorded_from = trace_now();
  recording = 1;
}

static void write_calls(FILE* file) {
  fputs(",\n\"calls\": [", file);
  for (int i = 0; i < calls.count; ++i) {
    const struct call* const call = &calls.of[i];
    const int begun_end = i + 1 < calls.count ? calls.of[i + 1].begun : operations.count;
    const int ended_end = i + 1 < calls.count ? calls.of[i + 1].ended : ended.count;
    fprintf(file, "%s\n[\"%s\", %.9f, %.9f, %.9f, [%d, %d], [", i == 0 ? "" : ",", call->name, call->begin, call->end,
            call->inside, call->begun, begun_end);
    for (int k = call->ended; k < ended_end; ++k) fprintf(file, "%s%d", k == call->ended ? "" : ", ", ended.of[k]);
    fprintf(file, "], %d]", call->tested);
  }
  fputs("]", file);
}

static void write_operations(FILE* file) {
  fputs(",\n\"operations\": [", file);
  for (int i = 0; i < operations.count; ++i) {
    const struct trace_operation* const one = &operations.of[i];
    fprintf(file, "%s\n[\"%s\", %d, %d, %d, %.0f]", i == 0 ? "" : ",", one->name, one->peer, one->tag, one->members,
            one->bytes);
  }
  fputs("],\n\"members\": [", file);
  trace_write_members(file);
  fputs("]", file);
}

/* Functions whose operations are not known, with the number of their calls; without a name: requests whose origin is
 * not known. */
static void write_unseen(FILE* file) {
  fputs(",\n\"unseen\": [", file);
  for (int i = 0; i < unseen.count; ++i) fprintf(file, "[\"%s\", %ld], ", unseen.of[i].name, unseen.of[i].calls);
  fprintf(file, "[\"\", %ld]]", unknown_requests);
}

void trace_write(const char* folder, const char* head) {
  const double end = trace_now();
  recording = 0;
  int rank = 0;
  int (*const comm_rank)(MPI_Comm, int*) = trace_next("PMPI_Comm_rank");
  comm_rank(MPI_COMM_WORLD, &rank);
  char path[4096];
  snprintf(path, sizeof path, "%s/rank-%d.json", folder, rank);
  FILE* const file = fopen(path, "w");
  if (file == NULL) {
    fprintf(stderr, "ayatori: can't write %s\n", path);
    return;
  }
  fprintf(file, "{%s, \"left_out\": %ld, \"calling_threads\": %d, \"from\": %.9f, \"until\": %.9f", head, left_out,
          threads, recorded_from, end);
  write_unseen(file);
  write_operations(file);
  write_calls(file);
  fputs(",\n\"traffic\": [", file);
  trace_write_traffic(file);
  fputs("]}\n", file);
  fclose(file);
}
