#pragma once
/// \file
/// The plan of the job that AYATORI_PLAN names: all ranks must have the same one, or some would send where others do
/// not expect it.

#include "process.hpp"

namespace ayatori::plugin {

/// Collective, after find_nodes(). Ends the job if processes have different plans, which process 0 says. A plan that
/// can't be read or is that of another job is told, and AYATORI_PLAN is taken out of the environment.
void check_plan(const Process& process);

}  // namespace ayatori::plugin
