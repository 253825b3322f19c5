#include "job_plan.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <string>

#include "ayatori/artefacts/plan_file.hpp"
#include "checksum.hpp"

namespace ayatori::plugin {

namespace {

/// The host of this rank by the plan.
const JobHost* row_of(const PlanFile& plan, Rank rank) {
  Rank first = 0;
  for (const JobHost& host : plan.machines) {
    if (rank < first + host.ranks) return &host;
    first += host.ranks;
  }
  return nullptr;
}

/// Empty if the plan is for this job.
std::string why_not(const std::string& path, const Process& process) {
  const auto plan = read_plan_file(path);
  if (!plan) return in_words(plan.error());
  const std::string here = own_host();
  if (plan->of_nics) {
    const bool is_there =
        process.settings.ranks_per_machine > 0 ||
        std::ranges::any_of(plan->machines, [&](const JobHost& machine) { return is_same_host(machine.host, here); });
    return is_there ? "" : fmt::format("rank {} is on {}, which {} does not have", process.rank, here, path);
  }
  if (plan->ranks.size() != process.places.machine.size()) {
    return fmt::format("{} is for {} ranks, and these are {}", path, plan->ranks.size(), process.places.machine.size());
  }
  const JobHost* const row = row_of(*plan, static_cast<Rank>(process.rank));
  if (process.settings.ranks_per_machine > 0 || is_same_host(row->host, here)) return {};
  return fmt::format("rank {} is on {}, and in {} on {}", process.rank, here, path, row->host);
}

}  // namespace

void check_plan(const Process& process) {
  const char* const value = std::getenv("AYATORI_PLAN");
  const std::string path = value == nullptr ? "" : value;
  // A plan for each pair has a second file beside the first. Each number with its complement: the least of both tells
  // whether all are equal.
  const std::uint64_t first = path.empty() ? 0 : checksum_of(path);
  const std::uint64_t second = path.empty() ? 0 : checksum_of(path + ".pairs");
  std::uint64_t least[] = {first, ~first, second, ~second};
  PMPI_Allreduce(MPI_IN_PLACE, least, 4, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
  if (least[0] != ~least[1] || least[2] != ~least[3]) {
    tell("the job is not started: its processes have different plans (AYATORI_PLAN)");
    PMPI_Barrier(MPI_COMM_WORLD);
    PMPI_Abort(MPI_COMM_WORLD, 1);
  }
  if (path.empty()) return;
  const std::string reason = why_not(path, process);
  int first_wrong = reason.empty() ? INT_MAX : process.rank;
  PMPI_Allreduce(MPI_IN_PLACE, &first_wrong, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (first_wrong == INT_MAX) return;
  if (first_wrong == process.rank) tell_here(fmt::format("the plan is not used: {}", reason));
  unsetenv("AYATORI_PLAN");
}

}  // namespace ayatori::plugin
