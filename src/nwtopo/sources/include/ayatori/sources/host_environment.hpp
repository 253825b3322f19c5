#pragma once
/// \file
/// What the host and the environment of this process say about the network and the job: which source to open when
/// nobody named one, and which hosts belong to the job. The caller passes the environment in; nothing here reads it.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ayatori/base/error.hpp"

namespace ayatori {

/// Where to look. The defaults are those of a Linux host.
struct HostEnvironment {
  /// Looks up an environment variable; returns nullptr if it is not set. nullptr: no variable is set.
  const char* (*variable)(const char* name) = nullptr;
  /// The folder in which the kernel lists HCAs and their ports.
  std::string infiniband_folder = "/sys/class/infiniband";
  /// Slurm's configuration folder. The variable SLURM_CONF takes precedence.
  std::string slurm_folder = "/etc/slurm";
};

/// The source to open when nobody named one: Tofu in a job of its batch system, else ib:live if a local InfiniBand port
/// is active, else Slurm's topology file. Returns an empty string if there is none of them.
[[nodiscard]] std::string automatic_source(const HostEnvironment& environment);

/// Completes a source with what only the environment knows: "tofu:job" becomes "tofu:job=4x6x16". Returns all other
/// sources as they are. Error: "tofu:job" outside of a job that has a node shape.
[[nodiscard]] Result<std::string> resolve_source(std::string_view source, const HostEnvironment& environment);

/// The point of this process's node in a torus of the shape of its Tofu job, numbered as GridFormula does; empty where
/// the environment has no node shape, or another one, or no rank of this process. PJM_NODE_X, _Y, _Z are the shape and
/// not a place: the place follows from the rank by the batch system's default order, PJM_PROC_BY_NODE ranks on a node
/// and X first. Error: a rank that the job cannot have.
[[nodiscard]] Result<std::optional<std::uint64_t>> tofu_job_point(std::span<const std::uint32_t> shape,
                                                                  const HostEnvironment& environment);

/// Host names of the job that this process belongs to, from SLURM_JOB_NODELIST, PBS_NODEFILE or PJM_O_NODEINF; empty
/// outside of jobs. Error: a list that cannot be read.
[[nodiscard]] Result<std::vector<std::string>> job_hosts(const HostEnvironment& environment);

}  // namespace ayatori
