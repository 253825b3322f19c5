#pragma once
/// \file
/// What started this process, and passes on what the processes of a job need of each other before they can send each
/// other anything: the job's secret, and where a process can be reached.
///
/// No process fetches what all others have published. It fetches that of a few, as many as the number of processes has
/// binary digits, and asks them for all others (ayatori/lookup/address_lookup.hpp).

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "ayatori/launch/placement.hpp"

namespace ayatori::launch {

class Launcher {
 public:
  virtual ~Launcher() = default;

  Placement placement;

  /// Makes `bytes` known to the other processes, at most max_published. All processes call it. Error: this launcher
  /// passes nothing on, or it has ended.
  [[nodiscard]] virtual Result<> publish(std::span<const std::byte> bytes) = 0;

  /// What a process has published, after publish(). Errors: as above; a launcher that stays() may not have it yet.
  [[nodiscard]] virtual Result<std::vector<std::byte>> published(Rank rank) = 0;

  /// Whether published() may be called at any time. If not, the launcher is asked until leave() alone.
  [[nodiscard]] virtual bool stays() const { return false; }

  /// This process needs the launcher no longer.
  virtual void leave() {}
};

inline constexpr std::size_t max_published = 400;

/// Tries these launchers, in this order:
///
///   1. ACP_RANK, ACP_PROCS (ayatori acprun, and users' own); ACP_LOCAL_PROCS and ACP_LOCAL_RANK if not all are on one
///      host; ACP_JOB_FILE: a file that all processes see, with the secret (ayatori/secret/job_secret.hpp), made for
///      this job alone. What processes publish is appended to it
///   2. OMPI_COMM_WORLD_RANK, _SIZE, _LOCAL_SIZE, _LOCAL_RANK (Open MPI's mpirun), and PMIx
///   3. PMI_FD, PMI_RANK, PMI_SIZE (hydra, the mpiexec of MPICH), and PMI-1; MPI_LOCALNRANKS, MPI_LOCALRANKID
///   4. SLURM_PROCID, SLURM_NTASKS, SLURM_LOCALID (srun), and PMIx (srun --mpi=pmix); SLURM_STEP_TASKS_PER_NODE,
///      SLURM_TASKS_PER_NODE or SLURM_NTASKS_PER_NODE
///
/// Without a PMIx server there is no secret, and the key is a hash of the job's name. `random` makes a secret. Without
/// a launcher the job has one process.
///
/// Errors: a variable that is missing or not a number; a file that others may read; ranks that do not fill host after
/// host, as far as this process knows them.
[[nodiscard]] Result<std::unique_ptr<Launcher>> find_launcher(const Environment& environment,
                                                              const std::function<Result<JobSecret>()>& random);

}  // namespace ayatori::launch
