#pragma once
/// \file
/// The MPI functions as the plug-in executes them. Each decides whether the call is one to execute, alike on all ranks,
/// and hands it to the MPI otherwise. All forms of a function are one (executed_function.hpp).

#include "dispatch.hpp"
#include "interposed_calls.h"

namespace ayatori::plugin {

/// Each puts functions of ours into the place of the MPI's own.
void execute_broadcasts(ayatori_mpi_calls& executed);  ///< and barriers
void execute_gathers(ayatori_mpi_calls& executed);     ///< and scatters
void execute_exchanges(ayatori_mpi_calls& executed);   ///< all-gathers and all-to-alls
void execute_reductions(ayatori_mpi_calls& executed);
void prepare_communicators(ayatori_mpi_calls& executed);

/// The functions that begin several requests or end some, while AYATORI_PROGRESS is on.
void see_ends_of_requests(ayatori_mpi_calls& calls);

}  // namespace ayatori::plugin
