/* libayatori_mpi.so, the library that is preloaded or linked: it defines the MPI functions of interposed_calls.h, hands
 * each call to the engine (libayatori_mpi_engine.so, in the same folder) if there is one, and to the MPI otherwise.
 *
 * LD_PRELOAD puts it into every process below, also into shells and launchers. Hence it needs no library but libc, and
 * refers to no symbol of MPI: the MPI's own functions are looked up at the first call, and the engine is loaded after
 * MPI_Init, if the MPI is of the family for which it was built and all processes can load it. */

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "entry.h"
#include "interposed_calls.h"
#include "mpi_library.h"

static struct ayatori_mpi_calls of_mpi; /* PMPI_…, once they were looked up */
static struct ayatori_mpi_calls of_engine;
/* The calls in use; NULL before the first. Written before MPI_Init returns, when the process has one thread in MPI. */
static const struct ayatori_mpi_calls* calls;

/* Of MPI's standard ABI, whose handles are not ours: all calls are passed on. */
static int has_standard_abi;

static struct {
  int (*Init)(int*, char***);
  int (*Init_thread)(int*, char***, int, int*);
  int (*Get_library_version)(char*, int*);
} base;

static int is_first_process(void) {
  static const char* const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    const char* const rank = getenv(names[i]);
    if (rank != NULL) return strcmp(rank, "0") == 0;
  }
  return 1;
}

/* One line for the job. */
static void report(const char* what, const char* detail) {
  if (is_first_process()) fprintf(stderr, "ayatori: %s%s\n", what, detail);
}

/* --- The MPI's own functions -------------------------------------------------------------------------------------- */

static void look_up_if_there(void* function, const char* name) {
  void* const found = mpi_library_function(name);
  memcpy(function, &found, sizeof found);
}

static void look_up(void* function, const char* name) {
  void* const found = mpi_library_function(name);
  if (found == NULL) {
    fprintf(stderr, "ayatori: this process has no %s: it calls MPI, but no MPI library is loaded\n", name);
    abort();
  }
  memcpy(function, &found, sizeof found);
}

#if AYATORI_HAS_LARGE_COUNTS
static int (*init_session)(MPI_Info, MPI_Errhandler, MPI_Session*);

/* A program may have sessions alone, and never call MPI_Init: so this is reported without the engine. */
static int begin_session(MPI_Info info, MPI_Errhandler handler, MPI_Session* session) {
  static int is_reported;
  const char* const verbose = getenv("AYATORI_VERBOSE");
  if (verbose != NULL && strcmp(verbose, "1") == 0 && !is_reported++)
    report("collectives of sessions: the MPI's own", "");
  return init_session(info, handler, session);
}
#endif

static void look_up_all(void) {
  if (calls != NULL) return;
#define LOOK_UP(name, parameters, arguments) look_up(&of_mpi.name, "PMPI_" #name);
  AYATORI_COMMON_CALLS(LOOK_UP)
#undef LOOK_UP
#define LOOK_UP(name, parameters, arguments) look_up_if_there(&of_mpi.name, "PMPI_" #name);
  AYATORI_MPI_4_CALLS(LOOK_UP)
#undef LOOK_UP
  look_up(&base.Init, "PMPI_Init");
  look_up(&base.Init_thread, "PMPI_Init_thread");
  look_up(&base.Get_library_version, "PMPI_Get_library_version");
  has_standard_abi = mpi_library_has_standard_abi();
#if AYATORI_HAS_LARGE_COUNTS
  init_session = of_mpi.Session_init;
  if (init_session != NULL && !has_standard_abi) of_mpi.Session_init = begin_session;
#endif
  calls = &of_mpi;
}

/* --- The engine --------------------------------------------------------------------------------------------------- */

#ifdef OPEN_MPI
static const char family[] = "Open MPI";
static const char* const beginnings[] = {"Open MPI v4.", "Open MPI v5."};
#else
static const char family[] = "MPICH";
static const char* const beginnings[] = {"MPICH Version:", "Intel(R) MPI", "MVAPICH"};
#endif

/* Handles and constants of another family mean something else: its calls can only be passed on. */
static int is_of_our_family(int silent) {
  if (has_standard_abi) {
    if (!silent) report("this program has MPI's standard ABI (libmpi_abi.so): its collectives are left alone", "");
    return 0;
  }
  char version[MPI_MAX_LIBRARY_VERSION_STRING > 8192 ? MPI_MAX_LIBRARY_VERSION_STRING : 8192];
  int length = 0;
  base.Get_library_version(version, &length);
  for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; ++i) {
    if (strncmp(version, beginnings[i], strlen(beginnings[i])) == 0) return 1;
  }
  if (silent) return 0;
  version[strcspn(version, ",\n")] = '\0';
  for (char* tab = version; (tab = strchr(tab, '\t')) != NULL;) *tab = ' ';
  if (is_first_process()) {
    fprintf(stderr, "ayatori: this plug-in is for %s, but the program runs with %s: its collectives are left alone\n",
            family, version);
  }
  return 0;
}

/* MPI's own constants. Those of Open MPI are addresses of variables, to which nothing here may refer. */
#ifdef OPEN_MPI
#define OWN_CONSTANT(type, name, symbol) ((type)mpi_library_variable(symbol))
#else
#define OWN_CONSTANT(type, name, symbol) (name)
#endif

static int is_off(void) {
  static const char* const words[] = {"off", "0", "no", "false"};
  const char* const wanted = getenv("AYATORI_MPI");
  for (size_t i = 0; wanted != NULL && i < sizeof words / sizeof *words; ++i) {
    if (strcmp(wanted, words[i]) == 0) return 1;
  }
  return 0;
}

static char why_not[4096];                                    /* of this process */
static int (*force)(const char* variable, const char* value); /* the engine's, once it is loaded */

/* The engine's ayatori_mpi_engine_start. NULL: it can't be loaded, and why_not says why. */
static ayatori_mpi_start* load_engine(void) {
  Dl_info self;
  char path[4096] = "";
  if (dladdr((void*)&calls, &self) != 0 && self.dli_fname != NULL) {
    const char* const end = strrchr(self.dli_fname, '/');
    const int folder = end == NULL ? 0 : (int)(end - self.dli_fname + 1);
    const int length = snprintf(path, sizeof path, "%.*slibayatori_mpi_engine.so", folder, self.dli_fname);
    if (length < 0 || (size_t)length >= sizeof path) path[0] = '\0';
  }
  void* const engine = *path == '\0' ? NULL : dlopen(path, RTLD_NOW | RTLD_LOCAL);
  void* const found = engine == NULL ? NULL : dlsym(engine, "ayatori_mpi_engine_start");
  ayatori_mpi_start* start = NULL;
  memcpy(&start, &found, sizeof found);
  if (start != NULL) {
    void* const forcing = dlsym(engine, "ayatori_mpi_engine_force");
    memcpy(&force, &forcing, sizeof force);
    return start;
  }
  const char* const reason = *path == '\0' ? NULL : dlerror();
  snprintf(why_not, sizeof why_not, "%s", reason == NULL ? "the engine's library is not found" : reason);
  return NULL;
}

static void report_why(int rank) {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  fprintf(stderr, "ayatori: collectives are left alone: rank %d on %s: %s\n", rank, host, why_not);
}

/* Whether all processes of MPI_COMM_WORLD can execute; if so, each does. A process that stepped aside alone would leave
 * the others waiting for its messages. If some can't, the first of them says why; nothing is said where all are off. */
static int all_can(int can, int off) {
  const MPI_Comm world = OWN_CONSTANT(MPI_Comm, MPI_COMM_WORLD, "ompi_mpi_comm_world");
  const MPI_Datatype type = OWN_CONSTANT(MPI_Datatype, MPI_INT, "ompi_mpi_int");
  const MPI_Op least = OWN_CONSTANT(MPI_Op, MPI_MIN, "ompi_mpi_op_min");
  if (!world || !type || !least) return 0;
  int rank = 0;
  of_mpi.Comm_rank(world, &rank);
  const int own[2] = {can ? INT_MAX : rank, off ? INT_MAX : rank}; /* who can't, and who is not off */
  int first[2] = {0, 0};
  if (of_mpi.Allreduce(own, first, 2, type, least, world) != MPI_SUCCESS) return 0;
  if (first[0] == rank && first[1] != INT_MAX) report_why(rank);
  return first[0] == INT_MAX;
}

/* `level`: the thread level for which the program asked, or -1 if that is what it has. */
static void start_engine(int level) {
  const int off = is_off();
  if (!is_of_our_family(off)) return;
  ayatori_mpi_start* const start = off ? NULL : load_engine();
  if (off) strcpy(why_not, "AYATORI_MPI=off is set there, and not for all processes");
  if (!all_can(start != NULL, off)) return;
  of_engine = of_mpi;
  if (start(&of_engine, level)) calls = &of_engine;
}

/* --- What programs call ------------------------------------------------------------------------------------------- */

#define EXPORTED __attribute__((visibility("default")))

static const struct ayatori_mpi_calls* calls_in_use(void) {
  if (__builtin_expect(calls == NULL, 0)) look_up_all();
  return calls;
}

/* A thread of ours calls the MPI while the program does. */
static int wants_thread(void) {
  const char* const wanted = getenv("AYATORI_PROGRESS");
  return wanted != NULL && strcmp(wanted, "thread") == 0 && !is_off() && !has_standard_abi;
}

/* For the program of `ayatori tune`, on all ranks at the same place: as if `variable` had been set to `value` at the
 * start. Returns 0 if nothing executes calls or the value is none of the variable's. */
EXPORTED int ayatori_mpi_force(const char* variable, const char* value) {
  return calls == &of_engine && force != NULL && force(variable, value);
}

static int initialise(int* argc, char*** argv) {
  look_up_all();
  const int raised = wants_thread();
  int provided = MPI_THREAD_SINGLE;
  const int code = raised ? base.Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided) : base.Init(argc, argv);
  if (code == MPI_SUCCESS) start_engine(raised ? MPI_THREAD_SINGLE : -1);
  return code;
}

static int initialise_for_threads(int* argc, char*** argv, int required, int* provided) {
  look_up_all();
  const int raised = required < MPI_THREAD_MULTIPLE && wants_thread();
  const int code = base.Init_thread(argc, argv, raised ? MPI_THREAD_MULTIPLE : required, provided);
  if (code == MPI_SUCCESS) start_engine(raised ? required : -1);
  return code;
}

/* Each function has both of its names. Fortran's functions of Open MPI convert their arguments and call PMPI_…, as some
 * of MPICH's do: if collectives went past us, a rank that calls from Fortran and one that calls from C would execute
 * different schedules in the same call, and wait for ever; and requests that Fortran begins or ends would not be seen.
 * The engine calls the MPI's own by their addresses (own_calls.h). */
EXPORTED int MPI_Init(int* argc, char*** argv) { return initialise(argc, argv); }
EXPORTED int PMPI_Init(int* argc, char*** argv) { return initialise(argc, argv); }
EXPORTED int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  return initialise_for_threads(argc, argv, required, provided);
}
EXPORTED int PMPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  return initialise_for_threads(argc, argv, required, provided);
}

#define ENTRIES(name, parameters, arguments)                           \
  AYATORI_ENTRY(EXPORTED, MPI_##name, arguments, calls_in_use()->name) \
  AYATORI_ENTRY(EXPORTED, PMPI_##name, arguments, calls_in_use()->name)
AYATORI_COMMON_CALLS(ENTRIES)
#undef ENTRIES

#if AYATORI_HAS_LARGE_COUNTS
__attribute__((noreturn)) static void end_without(const char* name) {
  /* A program that asks which functions there are, as mpi4py does, finds ours. */
  fprintf(stderr, "ayatori: this program calls %s, which its MPI library lacks, and this plug-in for %s has\n", name,
          family);
  abort();
}

/* `function`, or the end of the process: the MPI lacks it. */
static void (*there(void (*function)(void), const char* name))(void) {
  if (__builtin_expect(function == NULL, 0)) end_without(name);
  return function;
}

#define THERE(symbol, name) there((void (*)(void))calls_in_use()->name, #symbol)
#define ENTRIES(name, parameters, arguments)                              \
  AYATORI_ENTRY(EXPORTED, MPI_##name, arguments, THERE(MPI_##name, name)) \
  AYATORI_ENTRY(EXPORTED, PMPI_##name, arguments, THERE(PMPI_##name, name))
AYATORI_MPI_4_CALLS(ENTRIES)
#undef ENTRIES
#endif

/* At the end of a process in which MPI was there and initialised, but not by us: a program that asks dlopen's handle
 * for MPI's functions gets the MPI's own. */
__attribute__((destructor)) static void notice_escape(void) {
  if (calls != NULL) return;
  int (*initialized)(int*);
  void* const found = mpi_library_function_loaded_later("PMPI_Initialized");
  if (found == NULL) return;
  memcpy(&initialized, &found, sizeof found);
  int was = 0;
  initialized(&was);
  if (was) report("this program called MPI past the plug-in, which has executed nothing", "");
}
