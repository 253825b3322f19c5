#pragma once
/// \file
/// From a source to what nwtopo.h shows: as a formula where the source is regular, as an image otherwise.

#include "ayatori/sources/source.hpp"
#include "ayatori/topology/topology.hpp"

namespace ayatori {

struct TopologyOptions {
  SourceOptions source;
  /// Where the physical and the logical network differ (Tofu), the physical one.
  bool physical_view = false;
};

/// Opens "torus:100x100x100" in constant memory, "cache:FILE" by mapping it, anything else through its Network.
[[nodiscard]] Result<TopologyPtr> open_topology(std::string_view source, const TopologyOptions& options = {});

/// What the live sources need to know of this host and process, handed in by whoever may look.
struct Surroundings {
  /// The environment: nullptr where a variable is not set.
  const char* (*variable)(const char* name) = nullptr;
  /// Where the kernel shows HCAs and their ports.
  std::string infiniband_folder = "/sys/class/infiniband";
  /// Where Slurm's files are, unless the variable SLURM_CONF names its slurm.conf elsewhere.
  std::string slurm_folder = "/etc/slurm";
};

/// The source to take when nobody named one: Tofu in a job of its batch system, InfiniBand with an active port, Slurm
/// with a topology file. Empty if there is none.
[[nodiscard]] std::string automatic_source(const Surroundings& surroundings);

/// A source with what only the surroundings tell filled in: "tofu:job" becomes "tofu:job=4x6x16". All others as they
/// are. Error: "tofu:job" outside of a job with a node shape.
[[nodiscard]] Result<std::string> resolve_source(std::string_view source, const Surroundings& surroundings);

/// Host names of the job that this process belongs to, by SLURM_JOB_NODELIST, PBS_NODEFILE or PJM_O_NODEINF; empty
/// outside of jobs. Error: a list that can't be read.
[[nodiscard]] Result<std::vector<std::string>> job_hosts(const Surroundings& surroundings);

}  // namespace ayatori
