#pragma once
/// \file
/// What travels on a network. Clusters have one for storage, or one for collectives beside that of neighbours.

#include <cstdint>

namespace ayatori {

enum class Purpose : std::uint8_t {
  everything,   ///< whatever there is
  collectives,  ///< messages of MPI's collectives
  neighbours,   ///< messages of MPI between two processes
  storage,      ///< files
  sockets,      ///< all that IP carries: not Fibre Channel
};

}  // namespace ayatori
