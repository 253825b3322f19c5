#include "ayatori/plan_in_use/plan_fit.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace ayatori {

namespace {

/// By the plan, which has so many ranks.
const JobHost& host_of_rank(const PlanFile& plan, Rank rank) {
  const JobHost* found = plan.machines.data();
  for (Rank first = 0; rank >= first + found->ranks; ++found) first += found->ranks;
  return *found;
}

}  // namespace

std::string why_not_of_this_job(const PlanFile& plan, std::string_view file, const RunningRank& process) {
  if (plan.of_nics) {
    const bool is_there = process.host.empty() || std::ranges::any_of(plan.machines, [&](const JobHost& host) {
                            return is_same_host(host.host, process.host);
                          });
    return is_there ? "" : fmt::format("rank {} is on {}, which {} does not have", process.rank, process.host, file);
  }
  const std::size_t planned = plan.ranks.size();
  if (process.ranks && *process.ranks != planned) {
    return fmt::format("{} is for {} ranks, and these are {}", file, planned, *process.ranks);
  }
  if (process.rank >= planned)
    return fmt::format("{} is for {} ranks, and this is rank {}", file, planned, process.rank);
  const JobHost& host = host_of_rank(plan, process.rank);
  if (process.host.empty() || is_same_host(host.host, process.host)) return {};
  return fmt::format("rank {} is on {}, and in {} on {}", process.rank, process.host, file, host.host);
}

}  // namespace ayatori
