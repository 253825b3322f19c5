#pragma once
/// \file
/// The plan of the job that AYATORI_PLAN names: all ranks must have the same one, or some would send where others do
/// not expect it.

#include "process.hpp"

namespace ayatori::plugin {

/// Collective, as soon as the settings are known. Ends the job if processes have different plans, which process 0 says.
/// A plan that can't be read or is that of another job also ends it where AYATORI_PLAN_MUST_FIT is set, in any process
/// (`ayatori run --plan` sets it), but for processes that were spawned. Otherwise AYATORI_PLAN is taken out of the
/// environment. The first rank that the plan does not fit says why.
void check_plan(const Process& process);

}  // namespace ayatori::plugin
