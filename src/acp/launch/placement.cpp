#include <fmt/ranges.h>

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
  const char* on_host;
  const char* local_rank;
  bool lists_ranks = false;  ///< its PMIx server says which ranks a host has
};

/// `on_host`: how many ranks this host has, as the launcher reports it; its lowest rank follows from the local rank. If
/// it can't, and a server lists the ranks, this rank alone is known to be here until then.
Result<Placement> place(const Environment& environment, const Names& names, std::uint64_t on_host) {
  const auto rank = number(environment, names.rank);
  if (!rank) return Failure(rank.error());
  const auto procs = number(environment, names.procs);
  if (!procs) return Failure(procs.error());
  if (*procs == 0 || *procs > std::numeric_limits<Rank>::max() || *rank >= *procs) {
    return fail("{} is {} and {} is {}: there is no such rank", names.rank, *rank, names.procs, *procs);
  }
  if (on_host == 0) return fail("{} is 0", names.on_host);
  on_host = std::min(on_host, *procs);
  const auto local = number_or(environment, names.local_rank, *rank % on_host);
  if (!local) return Failure(local.error());
  const bool in_order = *local <= *rank && *rank - *local + on_host <= *procs;
  if (*local >= on_host || (!in_order && !names.lists_ranks)) {
    return with_hint(fail("rank {} of {} has the number {} on its host, which has {} ranks: ranks must fill host after "
                          "host",
                          *rank, *procs, *local, on_host),
                     how_to_place);
  }
  Placement placement;
  placement.rank = static_cast<Rank>(*rank);
  placement.procs = static_cast<Rank>(*procs);
  placement.first_on_host = in_order ? static_cast<Rank>(*rank - *local) : placement.rank;
  if (!in_order) placement.scattered = {placement.rank};
  placement.ranks_on_host = static_cast<std::uint32_t>(on_host);
  placement.launcher = names.launcher;
  return placement;
}

/// All ranks are on one host if the launcher says nothing of hosts.
Result<Placement> read(const Environment& environment, const Names& names) {
  const auto on_host = number_or(environment, names.on_host, std::numeric_limits<Rank>::max());
  if (!on_host) return Failure(on_host.error());
  return place(environment, names, *on_host);
}

/// The host of a rank if ranks fill host after host, as many on each as the groups say. The rank is one of theirs.
struct HostOfRank {
  std::uint64_t first = 0;
  std::uint64_t ranks = 0;
};

HostOfRank host_of(const std::vector<AlikeNodes>& groups, std::uint64_t rank) {
  std::uint64_t first = 0;
  for (const AlikeNodes& group : groups) {
    const std::uint64_t ranks = std::uint64_t{group.nodes} * group.tasks;
    if (rank - first < ranks) return {first + (rank - first) / group.tasks * group.tasks, group.tasks};
    first += ranks;
  }
  return {};
}

/// Where the tasks of a step are, as `list` says.
Result<Placement> read_list(const Environment& environment, const Names& names, const char* list) {
  const auto groups = parse_tasks_per_node(environment(list));
  if (!groups) return fail("{}: {}", list, groups.error().message);
  const auto procs = number(environment, names.procs);
  if (!procs) return Failure(procs.error());
  std::uint64_t tasks = 0;
  for (const AlikeNodes& group : *groups) {
    if (tasks <= *procs) tasks += std::uint64_t{group.nodes} * group.tasks;
  }
  if (tasks != *procs) {
    return fail("{} is '{}', but {} is {}: they are not of the same step", list, environment(list), names.procs,
                *procs);
  }
  const auto rank = number(environment, names.rank);
  if (!rank) return Failure(rank.error());
  if (*rank >= *procs)
    return fail("{} is {} and {} is {}: there is no such rank", names.rank, *rank, names.procs, *procs);
  const HostOfRank host = host_of(*groups, *rank);
  auto placement = place(environment, names, host.ranks);
  if (!placement || placement->first_on_host == host.first) return placement;
  return with_hint(
      fail("rank {} is not where it is in {} '{}': ranks must fill host after host", *rank, list, environment(list)),
      how_to_place);
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

/// Without anything that passes something on. The processes of one host find each other by the key.
class NoLauncher final : public Launcher {
 public:
  explicit NoLauncher(Placement known) { placement = std::move(known); }

  Result<> publish(std::span<const std::byte>) override { return placement.procs == 1 ? Result<>() : nothing(); }
  Result<std::vector<std::byte>> published(Rank) override { return Failure(nothing().error()); }

 private:
  [[nodiscard]] Result<> nothing() const {
    return with_hint(fail("{} passes no addresses on to the processes of a job", placement.launcher),
                     "srun --mpi=pmix, a libpmix.so.2 that the loader finds, or ACP_JOB_FILE");
  }
};

Result<std::unique_ptr<Launcher>> over_pmix(const Result<Placement>& placement, const Environment& environment,
                                            const MakeSecret& random) {
  if (!placement) return Failure(placement.error());
  auto joined = join_pmix(*placement, random);
  if (!joined || *joined) return joined;
  if (!placement->scattered.empty()) {
    return with_hint(fail("{} numbers the ranks of a host in an order of its own, and no PMIx server lists them",
                          placement->launcher),
                     "a libpmix.so.2 that the loader finds");
  }
  Placement known = *placement;
  known.job_key = key_by_name(environment);
  return std::make_unique<NoLauncher>(std::move(known));
}

Result<std::unique_ptr<Launcher>> over_pmi(const Environment& environment, const MakeSecret& random) {
  auto placement = read(environment, {"hydra", "PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS", "MPI_LOCALRANKID"});
  const auto descriptor = number(environment, "PMI_FD");
  if (!placement) return Failure(placement.error());
  if (!descriptor) return Failure(descriptor.error());
  return join_pmi(static_cast<int>(*descriptor), std::move(*placement), random);
}

Result<std::unique_ptr<Launcher>> alone(Placement placement, const MakeSecret& random) {
  const auto secret = random();
  if (!secret) return Failure(secret.error());
  set_secret(placement, *secret);
  return std::make_unique<NoLauncher>(std::move(placement));
}

Result<std::unique_ptr<Launcher>> from_own_variables(const Environment& environment, const MakeSecret& random) {
  auto placement = read(environment, {"ayatori acprun", "ACP_RANK", "ACP_PROCS", "ACP_LOCAL_PROCS", "ACP_LOCAL_RANK"});
  if (!placement) return Failure(placement.error());
  if (const char* file = environment("ACP_JOB_FILE")) return join_by_file(file, std::move(*placement));
  if (placement->procs == 1) return alone(std::move(*placement), random);
  return with_hint(fail("ACP_RANK is set, and ACP_JOB_FILE is not: the processes of a job need a secret"),
                   "(umask 077; openssl rand -hex 16 >FILE), where all processes see it; ACP_JOB_FILE=FILE");
}

}  // namespace

Result<> check_in_order(const Placement& placement) {
  if (placement.scattered.empty()) return {};
  return with_hint(fail("the host of rank {} has the ranks {}: ranks must fill host after host", placement.rank,
                        fmt::join(placement.scattered, ",")),
                   how_to_place);
}

void set_secret(Placement& placement, const JobSecret& secret) {
  placement.secret = secret;
  placement.job_key = public_number(secret);
}

Result<std::unique_ptr<Launcher>> find_launcher(const Environment& environment,
                                                const std::function<Result<JobSecret>()>& random) {
  if (environment("ACP_RANK")) return from_own_variables(environment, random);
  if (environment("OMPI_COMM_WORLD_RANK")) {
    return over_pmix(read(environment, {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
                                        "OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", true}),
                     environment, random);
  }
  if (environment("PMI_FD")) return over_pmi(environment, random);
  if (environment("SLURM_PROCID") && environment("SLURM_STEP_ID")) {
    return over_pmix(read_slurm(environment), environment, random);
  }
  Placement single;
  single.launcher = "nobody";
  return alone(std::move(single), random);
}

}  // namespace ayatori::launch
