/* libayatori_probe.so, which `ayatori run --plan auto` preloads into a first run of its command: each rank says on
 * standard output who it is and where, and ends before its main(). So no launcher's command line has to be understood
 * (decision 19).
 *
 * LD_PRELOAD puts it into every process below, also into shells and launchers, which go on as ever. Hence it needs no
 * library but libc. A wrapper around the program (numactl, a shell) is a rank as well as the program: the first process
 * that is one ends, and what it would have started does not start. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "rank_variables.h"

#define EXPORTED __attribute__((visibility("default")))

/* Programs of launchers, which another launcher may have started as if they were ranks (srun does). */
static int is_launcher(void) {
  static const char* const names[] = {
      "mpirun",     "mpiexec", "orterun", "orted", "prte", "prterun", "prted", "hydra_pmi_proxy", "hydra_bstrap_proxy",
      "slurmstepd", "srun"};
  const char* const own = program_invocation_short_name;
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    const size_t length = strlen(names[i]);
    /* Debian's are called mpirun.openmpi, mpiexec.hydra. */
    if (strncmp(own, names[i], length) == 0 && (own[length] == '\0' || own[length] == '.')) return 1;
  }
  return 0;
}

/* Says one line, in one write so that lines of ranks don't mix, and ends this process. `word` is what AYATORI_PROBE
 * says, by which `run` tells the line from others. Nobody needs to hear of a failure: a rank that says nothing is
 * missing. */
static void say_and_end(const char* word, const char* what, int status) {
  char line[512];
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  const char* const file = getenv("AYATORI_PROBE_FILE");
  const int sees_file = file != NULL && access(file, R_OK) == 0;
  const int length = snprintf(line, sizeof line, "%s %s %d %s\n", word, what, sees_file, host);
  if (length > 0 && (size_t)length < sizeof line) {
    while (write(STDOUT_FILENO, line, (size_t)length) < 0 && errno == EINTR) continue;
  }
  _exit(status);
}

static const char* own_word(void) {
  const char* const word = getenv("AYATORI_PROBE");
  return word == NULL || *word == '\0' ? NULL : word;
}

__attribute__((constructor)) static void probe(void) {
  const char* const word = own_word();
  struct ayatori_rank self;
  if (word == NULL || is_launcher() || !ayatori_find_rank(&self)) return;
  char what[64];
  snprintf(what, sizeof what, "%ld %ld", self.rank, self.size);
  say_and_end(word, what, 0);
}

/* A program that nobody has started as a rank must not run in earnest. */
static int end_unknown(void) {
  const char* const word = own_word();
  if (word != NULL) say_and_end(word, "? ?", 1);
  return 1; /* MPI_ERR_BUFFER of all MPIs; preloaded without `ayatori run` */
}

EXPORTED int MPI_Init(int* argc, char*** argv) {
  (void)argc, (void)argv;
  return end_unknown();
}

EXPORTED int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  (void)argc, (void)argv, (void)required, (void)provided;
  return end_unknown();
}

/* What the functions for Fortran call. */
EXPORTED int PMPI_Init(int* argc, char*** argv) { return MPI_Init(argc, argv); }

EXPORTED int PMPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  return MPI_Init_thread(argc, argv, required, provided);
}
