#pragma once
/// \file
/// The MPI functions as the plug-in plays them. Each decides whether the call is one to play, alike on all ranks, and
/// hands it to the MPI otherwise. All forms of a function are one (played_function.hpp).

#include "interposed_calls.h"
#include "turn.hpp"

namespace ayatori::plugin {

/// Each puts functions of ours into the place of the MPI's own.
void play_broadcasts(ayatori_mpi_calls& played);  ///< and barriers
void play_gathers(ayatori_mpi_calls& played);     ///< and scatters
void play_exchanges(ayatori_mpi_calls& played);   ///< all-gathers and all-to-alls
void play_reductions(ayatori_mpi_calls& played);
void prepare_communicators(ayatori_mpi_calls& played);

/// The functions that begin several requests or end some, while AYATORI_PROGRESS is on.
void see_ends_of_requests(ayatori_mpi_calls& calls);

}  // namespace ayatori::plugin
