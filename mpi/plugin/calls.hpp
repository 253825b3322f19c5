#pragma once
/// \file
/// The MPI functions as the plug-in plays them. Each decides whether the call is one to play, alike on all ranks, and
/// hands it to the MPI otherwise. A function and its form that does not block (MPI_Bcast, MPI_Ibcast) are one.

#include "interposed_calls.h"
#include "turn.hpp"

namespace ayatori::plugin {

#define AYATORI_DECLARE(name, parameters, arguments) int name parameters;
AYATORI_MPI_CALLS(AYATORI_DECLARE)
#undef AYATORI_DECLARE

}  // namespace ayatori::plugin
