#pragma once
/// \file
/// Is a plan that of the job that runs? Asked by each of its processes, of which none knows all.

#include <optional>
#include <string>
#include <string_view>

#include "ayatori/artefacts/plan_file.hpp"

namespace ayatori {

/// A process of a job that runs.
struct RunningRank {
  Rank rank = 0;
  std::optional<Rank> ranks;  ///< of the whole job; nullopt: not known, and not compared
  std::string host;           ///< its name, with or without its domain; empty: not compared
};

/// Why `plan` is not that of the process's job, in words for people; empty if the process is as it says. `file` names
/// the plan. A plan of NICs is for any number of ranks on its hosts. The job has its plan if that is so in all of its
/// processes.
[[nodiscard]] std::string why_not_of_this_job(const PlanFile& plan, std::string_view file, const RunningRank& process);

}  // namespace ayatori
