#pragma once
/// \file
/// Algorithms of others (AYATORI_ALLREDUCE=file:…, library:…): loaded in MPI_Init, by all processes or by none.

#include "ayatori/schedule/algorithms.hpp"
#include "process.hpp"

namespace ayatori::plugin {

/// Collective. What a process can't load, or what is not the same file on all of them, is reported and not forced.
void take_algorithms_of_others(Process& process);

/// make_schedule(), also for algorithms of others: those are verified whenever a schedule is made.
[[nodiscard]] Result<SchedulePtr> schedule_of(const std::string& algorithm, const CollectiveCall& call,
                                              const Placement& placement, const AlgorithmOptions& options);

}  // namespace ayatori::plugin
