#include "ayatori/launch/placement.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>

#include "exchange.hpp"
#include "tasks_per_node.hpp"

namespace ayatori::launch {

namespace {

Result<std::uint64_t> number(const Environment& environment, const char* name) {
  const char* text = environment(name);
  if (!text) return fail("{} is not set", name);
  const std::string_view digits = text;
  std::uint64_t value = 0;
  const auto [end, bad] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (bad != std::errc{} || end != digits.data() + digits.size()) return fail("{} is '{}', not a number", name, digits);
  return value;
}

/// `otherwise` if the variable is not set.
Result<std::uint64_t> number_or(const Environment& environment, const char* name, std::uint64_t otherwise) {
  return environment(name) ? number(environment, name) : otherwise;
}

struct Names {
  const char* launcher;
  const char* rank;
  const char* procs;
  const char* per_host;
  const char* local_rank;
};

constexpr const char* how_to_place =
    "mpirun --map-by slot, srun --distribution=block --ntasks-per-node=N, with as many ranks on each host";

/// `per_host` is what the launcher says of this host: others may have said something else to their processes.
Result<Placement> place(const Environment& environment, const Names& names, std::uint64_t per_host) {
  const auto rank = number(environment, names.rank);
  if (!rank) return Failure(rank.error());
  const auto procs = number(environment, names.procs);
  if (!procs) return Failure(procs.error());
  if (*procs == 0 || *procs > std::numeric_limits<Rank>::max() || *rank >= *procs) {
    return fail("{} is {} and {} is {}: there is no such rank", names.rank, *rank, names.procs, *procs);
  }
  if (per_host == 0) return fail("{} is 0", names.per_host);
  per_host = std::min(per_host, *procs);
  if (*procs % per_host != 0) {
    return with_hint(fail("the job has {} ranks, and the host of rank {} has {}: all hosts must have the same number",
                          *procs, *rank, per_host),
                     how_to_place);
  }
  const auto local = number_or(environment, names.local_rank, *rank % per_host);
  if (!local) return Failure(local.error());
  if (*local != *rank % per_host) {
    return with_hint(fail("rank {} has the number {} on its host, which has {} ranks: ranks must fill host after host, "
                          "and all hosts alike",
                          *rank, *local, per_host),
                     how_to_place);
  }
  Placement placement;
  placement.rank = static_cast<Rank>(*rank);
  placement.procs = static_cast<Rank>(*procs);
  placement.ranks_per_host = static_cast<std::uint32_t>(per_host);
  placement.launcher = names.launcher;
  return placement;
}

/// All ranks are on one host if the launcher says nothing of hosts.
Result<Placement> read(const Environment& environment, const Names& names) {
  const auto per_host = number_or(environment, names.per_host, std::numeric_limits<Rank>::max());
  if (!per_host) return Failure(per_host.error());
  return place(environment, names, *per_host);
}

/// Where the tasks of a step are, as `list` says.
Result<Placement> read_list(const Environment& environment, const Names& names, const char* list) {
  const auto groups = parse_tasks_per_node(environment(list));
  if (!groups) return fail("{}: {}", list, groups.error().message);
  const auto procs = number(environment, names.procs);
  if (!procs) return Failure(procs.error());
  std::uint64_t tasks = 0;
  for (const AlikeNodes& group : *groups) {
    if (group.tasks != groups->front().tasks) {
      return with_hint(fail("{} is '{}': all hosts must have the same number of ranks", list, environment(list)),
                       how_to_place);
    }
    if (tasks <= *procs) tasks += std::uint64_t{group.nodes} * group.tasks;
  }
  if (tasks != *procs) {
    return fail("{} is '{}', but {} is {}: they are not of the same step", list, environment(list), names.procs,
                *procs);
  }
  return place(environment, names, groups->front().tasks);
}

Result<Placement> read_slurm(const Environment& environment) {
  const Names names{"Slurm", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_NTASKS_PER_NODE", "SLURM_LOCALID"};
  for (const char* list : {"SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE"}) {
    if (environment(list)) return read_list(environment, names, list);
  }
  return read(environment, names);
}

/// FNV-1a, 64 bits.
std::uint64_t hash(std::string_view text) {
  std::uint64_t value = 0xcbf29ce484222325;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return value;
}

std::uint64_t key_by_name(const Environment& environment) {
  std::string name;
  for (const char* part : {"PMIX_NAMESPACE", "SLURM_JOB_ID", "SLURM_STEP_ID"}) {
    if (const char* value = environment(part)) name.append(value).push_back('/');
  }
  return hash(name);
}

Result<Placement> with_key(Result<Placement> placement, Result<std::uint64_t> key) {
  if (!placement) return placement;
  if (!key) return Failure(key.error());
  placement->job_key = *key;
  return placement;
}

/// Where a host has another number of ranks, the ranks of some host see that the hosts are not as many as they would be
/// if all were like their own.
Result<> check_hosts(const Placement& placement, std::uint32_t hosts) {
  if (placement.procs == std::uint64_t{hosts} * placement.ranks_per_host) return {};
  return with_hint(
      fail("the job has {} ranks on {} hosts, and the host of rank {} has {}: all hosts must have the same "
           "number",
           placement.procs, hosts, placement.rank, placement.ranks_per_host),
      how_to_place);
}

Result<Placement> with_key_over_pmix(Result<Placement> placement, const Environment& environment,
                                     std::uint64_t random) {
  if (!placement) return placement;
  const auto found = share_over_pmix(placement->rank, random);
  placement->job_key = found ? found->number : key_by_name(environment);
  if (!found || !found->hosts) return placement;
  if (auto good = check_hosts(*placement, *found->hosts); !good) return Failure(good.error());
  return placement;
}

Result<Placement> from_hydra(const Environment& environment, std::uint64_t random) {
  auto placement = read(environment, {"hydra", "PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS", "MPI_LOCALRANKID"});
  const auto descriptor = number(environment, "PMI_FD");
  if (!placement) return placement;
  if (!descriptor) return Failure(descriptor.error());
  const auto key = share_over_pmi(static_cast<int>(*descriptor), placement->rank, random);
  return with_key(std::move(placement), key);
}

}  // namespace

Result<Placement> find_placement(const Environment& environment, const std::function<std::uint64_t()>& random) {
  if (environment("ACP_RANK")) {
    return with_key(read(environment, {"ayatori run", "ACP_RANK", "ACP_PROCS", "ACP_PROCS_PER_HOST", "ACP_LOCAL_RANK"}),
                    number(environment, "ACP_JOB_KEY"));
  }
  if (environment("OMPI_COMM_WORLD_RANK")) {
    auto placement = read(environment, {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
                                        "OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"});
    return with_key_over_pmix(std::move(placement), environment, random());
  }
  if (environment("PMI_FD")) return from_hydra(environment, random());
  if (environment("SLURM_PROCID") && environment("SLURM_STEP_ID")) {
    return with_key_over_pmix(read_slurm(environment), environment, random());
  }
  Placement alone;
  alone.job_key = random();
  alone.launcher = "nobody";
  return alone;
}

}  // namespace ayatori::launch
