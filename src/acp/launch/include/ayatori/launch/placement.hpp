#pragma once
/// \file
/// The rank of this process and the key of its job, as its launcher gives them.

#include <functional>
#include <string>

#include "ayatori/base/error.hpp"
#include "ayatori/base/ids.hpp"

namespace ayatori::launch {

struct Placement {
  Rank rank = 0;
  Rank procs = 1;
  std::uint32_t ranks_per_host = 1;
  std::uint64_t job_key = 0;  ///< the same in all processes of the job, and in no other job
  std::string launcher;       ///< its name: "Open MPI", …
};

/// The value of a variable of the environment, or nullptr.
using Environment = std::function<const char*(const char*)>;

/// Tries these launchers, in this order:
///
///   1. ACP_RANK, ACP_PROCS, ACP_JOB_KEY (ayatori acprun), ACP_PROCS_PER_HOST if not all are on one host
///   2. OMPI_COMM_WORLD_RANK, _SIZE, _LOCAL_SIZE (Open MPI's mpirun); the key, and the number of hosts, over PMIx
///   3. PMI_FD, PMI_RANK, PMI_SIZE (hydra, the mpiexec of MPICH); the key over PMI-1; MPI_LOCALNRANKS
///   4. SLURM_PROCID, SLURM_NTASKS (srun); the key over PMIx (srun --mpi=pmix); SLURM_STEP_TASKS_PER_NODE,
///      SLURM_TASKS_PER_NODE or SLURM_NTASKS_PER_NODE
///
/// Where no PMIx server can exchange a key, it is a hash of the job's name (PMIX_NAMESPACE, SLURM_JOB_ID and _STEP_ID):
/// it distinguishes jobs, but can be guessed. `random` makes a key. Without a launcher the job has one process.
///
/// Errors: a variable that is missing or not a number; ranks that do not fill host after host; hosts with different
/// numbers of ranks, as far as this process knows them.
[[nodiscard]] Result<Placement> find_placement(const Environment& environment,
                                               const std::function<std::uint64_t()>& random);

}  // namespace ayatori::launch
