#pragma once
/// \file
/// What the engine keeps for the whole process.

#include <mpi.h>

#include <string_view>

#include "ayatori/tuning/settings.hpp"

namespace ayatori::plugin {

struct Process {
  Settings settings;  ///< the same in all processes of MPI_COMM_WORLD
  int rank = 0;       ///< in MPI_COMM_WORLD
  MPI_Group world = MPI_GROUP_NULL;
};

/// Filled once, before the program's first collective call; only read afterwards.
[[nodiscard]] const Process& process();

/// Called in MPI_Init by all processes of MPI_COMM_WORLD.
void begin_process();

/// Prints a line on process 0.
void tell(std::string_view line);

/// The same with AYATORI_VERBOSE, and each line only once.
void explain(std::string_view line);

}  // namespace ayatori::plugin
