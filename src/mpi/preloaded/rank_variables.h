/* Which rank is this process, by the variables that launchers set? For libraries that are preloaded into programs with
 * any MPI or none. */
#pragma once

#include <stdlib.h>

/* A process of a job. */
struct ayatori_rank {
  long rank; /* from 0 */
  long size; /* 0: the launcher sets no variable that says it */
};

/* A number in decimal digits, or -1. */
static inline long ayatori_number_in(const char* variable) {
  const char* const text = getenv(variable);
  if (text == NULL || *text < '0' || *text > '9') return -1;
  char* end = NULL;
  const long number = strtol(text, &end, 10);
  return *end == '\0' ? number : -1;
}

/* Fills `found` and returns 1 if a launcher has started this process as a rank, or a process above it, else 0.
 *
 * The innermost launcher counts, as far as that is known: torchrun is started by srun, Open MPI's and Hydra's processes
 * on other hosts are, too, and inherit its variables. A batch script has SLURM_PROCID, but no step. */
static inline int ayatori_find_rank(struct ayatori_rank* found) {
  static const struct {
    const char *rank, *size, *also;
  } launchers[] = {
      {"RANK", "WORLD_SIZE", "LOCAL_RANK"}, /* torchrun */
      {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", NULL},
      {"PMI_RANK", "PMI_SIZE", NULL}, /* Hydra, and srun --mpi=pmi2 */
      {"PMIX_RANK", NULL, NULL},
      {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", NULL},
  };
  for (size_t i = 0; i < sizeof launchers / sizeof *launchers; ++i) {
    const long rank = ayatori_number_in(launchers[i].rank);
    long size = launchers[i].size == NULL ? 0 : ayatori_number_in(launchers[i].size);
    if (rank < 0 || size < 0 || (launchers[i].also != NULL && getenv(launchers[i].also) == NULL)) continue;
    if (size == 0) size = ayatori_number_in("SLURM_STEP_NUM_TASKS");
    found->rank = rank;
    found->size = size > 0 ? size : 0;
    return 1;
  }
  return 0;
}
