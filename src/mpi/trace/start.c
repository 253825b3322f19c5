#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "mpi_library.h"
#include "rank_variables.h"
#include "trace.h"

enum { rounds = 10, tag = 4711, probed_sizes = 14, least_probed = 512, max_tries = 5 };

static char head[65536];

static struct {
  int (*Send)(const void*, int, MPI_Datatype, int, int, MPI_Comm);
  int (*Isend)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
  int (*Recv)(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status*);
  int (*Test)(MPI_Request*, int*, MPI_Status*);
  int (*Wait)(MPI_Request*, MPI_Status*);
  int (*Barrier)(MPI_Comm);
} mpi;

#ifdef OPEN_MPI
struct trace_handles trace_handles;
enum { is_for_open_mpi = 1 };
#else
enum { is_for_open_mpi = 0 };
#endif

/* Whether this MPI's handles are known. */
static int find_handles(void) {
#ifdef OPEN_MPI
  trace_handles.world = mpi_library_variable("ompi_mpi_comm_world");
  trace_handles.no_info = mpi_library_variable("ompi_mpi_info_null");
  trace_handles.byte = mpi_library_variable("ompi_mpi_byte");
  trace_handles.real = mpi_library_variable("ompi_mpi_double");
  trace_handles.integer = mpi_library_variable("ompi_mpi_int");
  trace_handles.no_request = mpi_library_variable("ompi_request_null");
  trace_handles.no_comm = mpi_library_variable("ompi_mpi_comm_null");
  trace_handles.no_type = mpi_library_variable("ompi_mpi_datatype_null");
  return trace_handles.world != NULL && trace_handles.no_request != NULL;
#else
  return 1;
#endif
}

/* What must be added to our clock to have rank 0's: half-way between two times of ours stood the clock that it sends.
 */
static double offset_from_first(int rank, int ranks) {
  double best = 1e9;
  double offset = 0;
  for (int other = 1; other < ranks; ++other) {
    for (int i = 0; i < rounds && (rank == 0 || rank == other); ++i) {
      double theirs = 0;
      const double begin = trace_now();
      if (rank == 0) {
        mpi.Recv(&theirs, 1, MPI_DOUBLE, other, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        theirs = trace_now();
        mpi.Send(&theirs, 1, MPI_DOUBLE, other, tag, MPI_COMM_WORLD);
        continue;
      }
      mpi.Send(&theirs, 1, MPI_DOUBLE, 0, tag, MPI_COMM_WORLD);
      mpi.Recv(&theirs, 1, MPI_DOUBLE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      const double end = trace_now();
      if (end - begin >= best) continue;
      best = end - begin;
      offset = theirs - (begin + end) / 2;
    }
  }
  return offset;
}

/* Whether a message's send is over before its receiver asks for it. Meanwhile the receiver waits in the MPI for another
 * message: some MPIs complete a sent message only when the receiver has polled. */
static int is_eager(int rank, int other, char* buffer, int size) {
  int over = 0;
  if (rank != 0) {
    mpi.Recv(&over, 1, MPI_INT, 0, tag + 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    mpi.Recv(buffer, size, MPI_BYTE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return over;
  }
  MPI_Request request;
  mpi.Isend(buffer, size, MPI_BYTE, other, tag, MPI_COMM_WORLD, &request);
  for (const double end = trace_now() + 3e-3; !over && trace_now() < end;) {
    mpi.Test(&request, &over, MPI_STATUS_IGNORE);
  }
  mpi.Send(&over, 1, MPI_INT, other, tag + 1, MPI_COMM_WORLD);
  if (!over) mpi.Wait(&request, MPI_STATUS_IGNORE);
  return over;
}

/* The largest size that is eager, and the smallest one that is not; 0 if there is none. A size is eager if one of some
 * sends of it is over early: others may not be since the processes share cores. */
static struct eager_limit {
  long eager, not_eager;
} eager_limit(int rank, int other, char* buffer) {
  struct eager_limit found = {0, 0};
  long size = least_probed;
  for (int i = 0; i < probed_sizes && found.not_eager == 0; ++i, size *= 2) {
    int over = 0;
    for (int tries = 0; tries < max_tries && !over; ++tries) over = is_eager(rank, other, buffer, (int)size);
    if (over) found.eager = size;
    if (!over) found.not_eager = size;
  }
  return found;
}

/* Of this process: `[["name", seconds on a core], …]`, one entry a thread. */
static void write_threads(char* text, size_t size) {
  size_t length = 0;
  DIR* const folder = opendir("/proc/self/task");
  const char* separator = "";
  for (struct dirent* entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
    char path[320];
    char name[64] = "";
    unsigned long long nanoseconds = 0;
    snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
    FILE* file = entry->d_name[0] == '.' ? NULL : fopen(path, "r");
    if (file == NULL) continue;
    if (fscanf(file, "%63[^\n\"\\]", name) != 1) name[0] = '\0';
    fclose(file);
    snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", entry->d_name);
    file = fopen(path, "r");
    if (file != NULL && fscanf(file, "%llu", &nanoseconds) != 1) nanoseconds = 0;
    if (file != NULL) fclose(file);
    if (length + 100 > size) break;
    length +=
        (size_t)snprintf(text + length, size - length, "%s[\"%s\", %.6f]", separator, name, (double)nanoseconds * 1e-9);
    separator = ", ";
  }
  if (folder != NULL) closedir(folder);
}

static void write_cores(char* text, size_t size) {
  cpu_set_t cores;
  size_t length = 0;
  const char* separator = "";
  text[0] = '\0';
  if (sched_getaffinity(0, sizeof cores, &cores) != 0) return;
  for (int core = 0; core < CPU_SETSIZE && length + 16 < size; ++core) {
    if (!CPU_ISSET(core, &cores)) continue;
    length += (size_t)snprintf(text + length, size - length, "%s%d", separator, core);
    separator = ", ";
  }
}

static void find_functions(void) {
  mpi.Send = trace_next("PMPI_Send");
  mpi.Isend = trace_next("PMPI_Isend");
  mpi.Recv = trace_next("PMPI_Recv");
  mpi.Test = trace_next("PMPI_Test");
  mpi.Wait = trace_next("PMPI_Wait");
  mpi.Barrier = trace_next("PMPI_Barrier");
}

/* The first line of what it says of itself, for a JSON string. */
static void write_mpi(char* text, size_t size) {
  int (*const get_version)(char*, int*) = trace_next("PMPI_Get_library_version");
  char said[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  get_version(said, &length);
  size_t used = 0;
  for (const char* at = said; *at != '\0' && *at != '\n' && used + 1 < size; ++at) {
    text[used++] = *at < ' ' || *at > '~' || *at == '"' || *at == '\\' ? ' ' : *at;
  }
  text[used] = '\0';
}

static int is_first_of_host(void) {
  int (*const split)(MPI_Comm, int, int, MPI_Info, MPI_Comm*) = trace_next("PMPI_Comm_split_type");
  int (*const comm_rank)(MPI_Comm, int*) = trace_next("PMPI_Comm_rank");
  int (*const comm_free)(MPI_Comm*) = trace_next("PMPI_Comm_free");
  MPI_Comm host;
  int place = 0;
  split(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  comm_rank(host, &place);
  comm_free(&host);
  return place == 0;
}

int trace_passes_on(void) {
  static int passes = -1;
  if (passes >= 0) return passes;
  struct ayatori_rank process = {0, 0};
  passes = mpi_library_has_standard_abi();
  if (passes && (!ayatori_find_rank(&process) || process.rank == 0))
    fputs("ayatori: this program has MPI's standard ABI (libmpi_abi.so): it is left alone, and not traced\n", stderr);
  return passes;
}

void trace_refuse_others(void) {
  static const char* const families[] = {"MPICH", "Open MPI"};
  const int is_open_mpi = mpi_library_variable("ompi_mpi_comm_world") != NULL;
  struct ayatori_rank process = {0, 0};
  if (is_open_mpi == is_for_open_mpi || trace_passes_on()) return;
  ayatori_find_rank(&process);
  if (process.rank == 0) {
    fprintf(stderr, "ayatori: this trace library is for %s and cannot trace a program of %s\n",
            families[is_for_open_mpi], families[is_open_mpi]);
  } else {
    sleep(10); /* a launcher ends all ranks with the first one, which must not be before the line of rank 0 */
  }
  exit(1);
}

void trace_start(int asked) {
  static int is_started;
  if (getenv("AYATORI_TRACE") == NULL || is_started || trace_passes_on() || !find_handles()) return;
  is_started = 1;
  trace_enter(); /* our own calls are not the program's */
  find_functions();
  int (*const get_parent)(MPI_Comm*) = trace_next("PMPI_Comm_get_parent");
  MPI_Comm parent;
  get_parent(&parent);
  if (parent != MPI_COMM_NULL) { /* started by MPI_Comm_spawn: it has a world of its own */
    trace_leave();
    return;
  }
  int rank = 0;
  int ranks = 1;
  int level = 0;
  int (*const comm_rank)(MPI_Comm, int*) = trace_next("PMPI_Comm_rank");
  int (*const comm_size)(MPI_Comm, int*) = trace_next("PMPI_Comm_size");
  int (*const query_thread)(int*) = trace_next("PMPI_Query_thread");
  comm_rank(MPI_COMM_WORLD, &rank);
  comm_size(MPI_COMM_WORLD, &ranks);
  query_thread(&level);
  const double offset = offset_from_first(rank, ranks);
  char* const buffer = calloc((size_t)least_probed << probed_sizes, 1);
  struct eager_limit near = {0, 0};
  struct eager_limit far = {0, 0};
  if (ranks > 1 && (rank == 0 || rank == 1)) near = eager_limit(rank, 1, buffer);
  if (ranks > 2 && (rank == 0 || rank == ranks - 1)) far = eager_limit(rank, ranks - 1, buffer);
  free(buffer);
  const int samples = is_first_of_host();
  char host[256] = "";
  char cores[16384];
  char library[256];
  write_mpi(library, sizeof library);
  gethostname(host, sizeof host - 1);
  write_cores(cores, sizeof cores);
  snprintf(head, sizeof head,
           "\"format\": \"ayatori-trace\", \"version\": 1, \"rank\": %d, \"ranks\": %d, \"host\": \"%s\", "
           "\"mpi\": \"%s\", "
           "\"cores\": [%s], \"thread_level\": [%d, %d], \"clock_offset\": %.9f, \"eager_limits\": [[1, %ld, %ld], "
           "[%d, %ld, %ld]]",
           rank, ranks, host, library, cores, asked, level, offset, near.eager, near.not_eager, ranks - 1, far.eager,
           far.not_eager);
  if (samples) trace_start_traffic();
  mpi.Barrier(MPI_COMM_WORLD);
  trace_start_recording();
  trace_leave();
}

void trace_stop(void) {
  const char* const folder = getenv("AYATORI_TRACE");
  if (folder == NULL || head[0] == '\0') return;
  trace_stop_traffic();
  char threads[16384] = "";
  write_threads(threads, sizeof threads);
  const size_t length = strlen(head);
  snprintf(head + length, sizeof head - length, ", \"threads\": [%s]", threads);
  trace_write(folder, head);
  head[0] = '\0';
}
