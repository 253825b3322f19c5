#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mpi_library.h"
#include "trace.h"

enum { max_calls = 2000000 };

struct call {
  const char* name;
  double begin;
  double end;
  int begun; /* the first operation that it began; those of the next call follow its own */
  int ended; /* the same in `ended` */
};

struct outstanding {
  MPI_Request request;
  int operation; /* -1: a persistent request that is not started */
  int persistent;
  struct trace_operation description;
};

struct group {
  MPI_Comm comm;
  int known; /* whether comm is one of the program's at this time */
  int size;
  int* world;
};

#define ARRAY(type, name) \
  static struct {         \
    type* of;             \
    int count;            \
    int capacity;         \
  } name

ARRAY(struct call, calls);
ARRAY(struct trace_operation, operations);
ARRAY(int, ended);
ARRAY(struct outstanding, outstanding);
ARRAY(struct group, groups);

#define APPEND(array, value)                                                           \
  do {                                                                                 \
    if ((array).count == (array).capacity) {                                           \
      (array).capacity = (array).capacity == 0 ? 64 : 2 * (array).capacity;            \
      (array).of = realloc((array).of, (size_t)(array).capacity * sizeof *(array).of); \
      if ((array).of == NULL) abort();                                                 \
    }                                                                                  \
    (array).of[(array).count++] = (value);                                             \
  } while (0)

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static __thread int depth; /* of calls of this thread: only the outermost is the program's */
static int recording;
static long left_out;
static int first_begun;
static int first_ended;

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

int trace_enter(void) {
  ++depth;
  if (depth > 1 || !recording) return 0;
  pthread_mutex_lock(&mutex);
  first_begun = operations.count;
  first_ended = ended.count;
  pthread_mutex_unlock(&mutex);
  return 1;
}

void trace_leave(const char* name, double begin, double end) {
  --depth;
  if (depth > 0 || !recording) return;
  pthread_mutex_lock(&mutex);
  /* A test that found nothing is one of many: the one before becomes longer. */
  struct call* const last = calls.count > 0 ? &calls.of[calls.count - 1] : NULL;
  const int nothing = first_begun == operations.count && first_ended == ended.count;
  if (calls.count == max_calls) {
    ++left_out;
  } else if (!nothing || strncmp(name, "MPI_Test", 8) != 0 || last == NULL || last->name != name ||
             begin - last->end > 50e-6) {
    const struct call made = {name, begin, end, first_begun, first_ended};
    APPEND(calls, made);
  } else {
    last->end = end;
  }
  pthread_mutex_unlock(&mutex);
}

static int find(MPI_Request request) {
  for (int i = outstanding.count - 1; i >= 0; --i) {
    if (outstanding.of[i].request == request) return i;
  }
  return -1;
}

void trace_begin_operation(struct trace_operation operation, const MPI_Request* request) {
  if (depth != 1 || !recording || calls.count == max_calls) return;
  pthread_mutex_lock(&mutex);
  const int number = operations.count;
  APPEND(operations, operation);
  if (request == NULL) {
    APPEND(ended, number);
  } else {
    const struct outstanding made = {*request, number, 0, operation};
    APPEND(outstanding, made);
  }
  pthread_mutex_unlock(&mutex);
}

void trace_make_persistent(struct trace_operation operation, MPI_Request request) {
  pthread_mutex_lock(&mutex);
  const struct outstanding made = {request, -1, 1, operation};
  APPEND(outstanding, made);
  pthread_mutex_unlock(&mutex);
}

void trace_start_persistent(MPI_Request request) {
  if (depth != 1 || !recording || calls.count == max_calls) return;
  pthread_mutex_lock(&mutex);
  const int place = find(request);
  if (place >= 0) {
    outstanding.of[place].operation = operations.count;
    APPEND(operations, outstanding.of[place].description);
  }
  pthread_mutex_unlock(&mutex);
}

static void take_out(int place) { outstanding.of[place] = outstanding.of[--outstanding.count]; }

void trace_end_operation(MPI_Request request) {
  if (depth != 1 || request == MPI_REQUEST_NULL) return;
  pthread_mutex_lock(&mutex);
  const int place = find(request);
  if (place >= 0) {
    if (outstanding.of[place].operation >= 0) APPEND(ended, outstanding.of[place].operation);
    outstanding.of[place].operation = -1;
    if (!outstanding.of[place].persistent) take_out(place);
  }
  pthread_mutex_unlock(&mutex);
}

void trace_forget(MPI_Request request) {
  pthread_mutex_lock(&mutex);
  const int place = find(request);
  if (place >= 0) take_out(place);
  pthread_mutex_unlock(&mutex);
}

/* --- Communicators ------------------------------------------------------------------------------------------------ */

static void members_of(MPI_Comm comm, struct group* found) {
  MPI_Group world;
  MPI_Group own;
  int (*const comm_group)(MPI_Comm, MPI_Group*) = trace_next("PMPI_Comm_group");
  int (*const comm_size)(MPI_Comm, int*) = trace_next("PMPI_Comm_size");
  int (*const translate)(MPI_Group, int, const int*, MPI_Group, int*) = trace_next("PMPI_Group_translate_ranks");
  int (*const group_free)(MPI_Group*) = trace_next("PMPI_Group_free");
  comm_size(comm, &found->size);
  comm_group(comm, &own);
  comm_group(MPI_COMM_WORLD, &world);
  int* const ranks = malloc((size_t)found->size * sizeof *ranks);
  found->world = malloc((size_t)found->size * sizeof *found->world);
  if (ranks == NULL || found->world == NULL) abort();
  for (int i = 0; i < found->size; ++i) ranks[i] = i;
  translate(own, found->size, ranks, world, found->world);
  free(ranks);
  group_free(&own);
  group_free(&world);
}

static int find_members(MPI_Comm comm) {
  int found = -1;
  pthread_mutex_lock(&mutex);
  for (int i = 0; i < groups.count && found < 0; ++i) {
    if (groups.of[i].known && groups.of[i].comm == comm) found = i;
  }
  pthread_mutex_unlock(&mutex);
  return found;
}

int trace_members(MPI_Comm comm) {
  const int known = find_members(comm);
  if (known >= 0) return known;
  struct group made = {comm, 1, 0, NULL};
  ++depth;
  members_of(comm, &made);
  --depth;
  pthread_mutex_lock(&mutex);
  int number = groups.count;
  for (int i = 0; i < groups.count; ++i) {
    const struct group* const other = &groups.of[i];
    const size_t bytes = (size_t)made.size * sizeof *made.world;
    if (!other->known && other->size == made.size && memcmp(other->world, made.world, bytes) == 0) number = i;
  }
  if (number < groups.count) {
    free(made.world);
    groups.of[number].comm = comm;
    groups.of[number].known = 1;
  } else {
    APPEND(groups, made);
  }
  pthread_mutex_unlock(&mutex);
  return number;
}

int trace_member_count(int members) {
  pthread_mutex_lock(&mutex);
  const int count = groups.of[members].size;
  pthread_mutex_unlock(&mutex);
  return count;
}

int trace_world_rank(int members, int rank) {
  pthread_mutex_lock(&mutex);
  const struct group* const group = &groups.of[members];
  const int found = rank >= 0 && rank < group->size ? group->world[rank] : -1;
  pthread_mutex_unlock(&mutex);
  return found;
}

void trace_forget_communicator(MPI_Comm comm) {
  pthread_mutex_lock(&mutex);
  for (int i = 0; i < groups.count; ++i) {
    if (groups.of[i].comm == comm) groups.of[i].known = 0;
  }
  pthread_mutex_unlock(&mutex);
}

/* --- The file ----------------------------------------------------------------------------------------------------- */

void trace_start_recording(void) { recording = 1; }

static void write_calls(FILE* file) {
  fputs(",\n\"calls\": [", file);
  for (int i = 0; i < calls.count; ++i) {
    const struct call* const call = &calls.of[i];
    const int begun_end = i + 1 < calls.count ? calls.of[i + 1].begun : operations.count;
    const int ended_end = i + 1 < calls.count ? calls.of[i + 1].ended : ended.count;
    fprintf(file, "%s\n[\"%s\", %.9f, %.9f, [%d, %d], [", i == 0 ? "" : ",", call->name, call->begin, call->end,
            call->begun, begun_end);
    for (int k = call->ended; k < ended_end; ++k) fprintf(file, "%s%d", k == call->ended ? "" : ", ", ended.of[k]);
    fputs("]]", file);
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
  for (int i = 0; i < groups.count; ++i) {
    fprintf(file, "%s[", i == 0 ? "" : ", ");
    for (int k = 0; k < groups.of[i].size; ++k) fprintf(file, "%s%d", k == 0 ? "" : ", ", groups.of[i].world[k]);
    fputs("]", file);
  }
  fputs("]", file);
}

void trace_write(const char* folder, const char* head) {
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
  fprintf(file, "{%s, \"left_out\": %ld", head, left_out);
  write_operations(file);
  write_calls(file);
  fputs(",\n\"traffic\": [", file);
  trace_write_traffic(file);
  fputs("]}\n", file);
  fclose(file);
}
