#include "job_plan.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>

#include "ayatori/artefacts/plan_file.hpp"
#include "ayatori/plan_in_use/plan_fit.hpp"
#include "checksum.hpp"

namespace ayatori::plugin {

namespace {

/// What is no word for "off" counts: a plan of another job is not to pass because of a misspelling.
bool is_on(const char* variable) {
  const char* const value = std::getenv(variable);
  constexpr std::array off{"", "0", "off", "no", "false"};
  return value != nullptr && std::ranges::find(off, std::string_view(value)) == off.end();
}

/// Empty if the plan is for this job.
std::string why_not(const std::string& path, const Process& process) {
  const auto plan = read_plan_file(path);
  if (!plan) return in_words(plan.error());
  int ranks = 1;
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const bool has_pretended_machines = process.settings.ranks_per_machine > 0;
  return why_not_of_this_job(*plan, path,
                             {.rank = static_cast<Rank>(process.rank),
                              .ranks = static_cast<Rank>(ranks),
                              .host = has_pretended_machines ? "" : own_host()});
}

/// Processes that a program spawns are a job of their own, of which nobody knew when the plan was made.
bool is_spawned() {
  MPI_Comm parent = MPI_COMM_NULL;
  PMPI_Comm_get_parent(&parent);
  return parent != MPI_COMM_NULL;
}

/// In all processes, after the one that has something to say. Launchers that end a job drop what they have not passed
/// on by then: Hydra did so with this line once in some runs.
[[noreturn]] void end_job() {
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  PMPI_Barrier(MPI_COMM_WORLD);
  PMPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

}  // namespace

void check_plan(const Process& process) {
  const char* const value = std::getenv("AYATORI_PLAN");
  const std::string path = value == nullptr ? "" : value;
  // A number with its complement: the least of both shows whether all are equal. A plan names its pairs by their
  // checksum, and so two equal ones have the same.
  const std::uint64_t checksum = path.empty() ? 0 : checksum_of(path);
  std::uint64_t least[] = {checksum, ~checksum};
  PMPI_Allreduce(MPI_IN_PLACE, least, 2, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
  if (least[0] != ~least[1]) {
    report("the job is not started: its processes have different plans (AYATORI_PLAN)");
    end_job();
  }
  if (path.empty()) return;
  const std::string reason = why_not(path, process);
  const bool must_fit = is_on("AYATORI_PLAN_MUST_FIT") && !is_spawned();
  int least_of_all[] = {reason.empty() ? INT_MAX : process.rank, must_fit ? 0 : 1};
  PMPI_Allreduce(MPI_IN_PLACE, least_of_all, 2, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  const auto [first_wrong, may_be_dropped] = least_of_all;
  if (first_wrong == INT_MAX) {
    explain(fmt::format("the plan is used: {}", path));
    return;
  }
  const char* const what =
      may_be_dropped != 0 ? "the plan is not used" : "the job is not started, since its plan can't be used";
  if (first_wrong == process.rank) report_here(fmt::format("{}: {}", what, reason));
  if (may_be_dropped == 0) {
    if (first_wrong == process.rank)
      report_here(
          "`ayatori plan` printed the line that starts its ranks; `run --plan auto` plans for those that start");
    end_job();
  }
  unsetenv("AYATORI_PLAN");
}

}  // namespace ayatori::plugin
