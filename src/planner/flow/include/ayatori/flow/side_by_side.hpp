#pragma once
/// \file
/// The time of the schedules of several concurrent jobs, which know nothing of each other.
///
/// The model is that of simulate.hpp with StepMode::drift, over links, NICs and buses that all jobs share. Job j begins
/// its schedule at its phase and repeats it without a pause, as a program does that calls a collective in a loop: a
/// call begins for all ranks of the job when the one before has ended for all of them. Nobody waits for another job.
///
/// Calls count that begin when all jobs have begun. The simulation ends as soon as each job whose calls are asked for
/// has ended one that counts, and
///
///     seconds(j) = the mean over the calls of j that count and have ended.
///
/// costs.start is not part of it: a program does it while links carry the messages of others.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/flow/paths.hpp"
#include "ayatori/flow/simulate.hpp"
#include "ayatori/schedule/schedule.hpp"

namespace ayatori {

/// One of several jobs. What it refers to must outlive it.
struct JobSideBySide {
  const Schedule& schedule;
  /// Its paths. All jobs are on one network: links, machines and NICs have the same numbers in the paths of all.
  const Paths& paths;
  double phase = 0;      ///< seconds after which it begins, from 0 on
  bool is_timed = true;  ///< false: background traffic for the others
};

struct TimeSideBySide {
  double seconds = 0;       ///< mean of the calls that count; 0 of a job that is not timed
  std::uint64_t calls = 0;  ///< how many count
};

/// The times, in the order of the jobs. Deterministic. A job whose call takes no time calls once. Errors: no job that
/// is timed; phases that are negative or not finite; messages that are left when a call ends; and those of simulate(),
/// with the job's number. `options.steps` does not count.
[[nodiscard]] Result<std::vector<TimeSideBySide>> simulate_side_by_side(std::span<const JobSideBySide> jobs,
                                                                        const FlowOptions& options);

/// The times of many runs, in their order, on all cores. Errors: those above, run by run.
[[nodiscard]] std::vector<Result<std::vector<TimeSideBySide>>> simulate_all_side_by_side(
    std::span<const std::vector<JobSideBySide>> runs, const FlowOptions& options);

/// By link: the seconds that it needs for the bytes of one call. Precondition: the paths have the schedule's
/// participants.
[[nodiscard]] std::vector<double> seconds_on_links(const Schedule& schedule, const Paths& paths);

}  // namespace ayatori
