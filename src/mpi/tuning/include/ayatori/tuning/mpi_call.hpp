#pragma once
/// \file
/// The MPI functions that the plug-in executes, by name.

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "ayatori/schedule/collective.hpp"

namespace ayatori {

enum class MpiCall : std::uint8_t {
  barrier,
  bcast,
  reduce,
  allreduce,
  reduce_scatter_block,
  reduce_scatter,
  allgather,
  allgatherv,
  gather,
  gatherv,
  scatter,
  scatterv,
  alltoall,
  alltoallv,
};

inline constexpr std::size_t mpi_call_count = 14;

struct MpiCallNames {
  MpiCall call;
  std::string_view name;      ///< "MPI_Bcast"
  std::string_view variable;  ///< the environment variable that forces its algorithm: "AYATORI_BCAST"
  Collective collective;      ///< whose schedules it executes
  bool sized_by_rank;         ///< blocks have a size for each rank (or pair of ranks): MPI_Gatherv, …
};

/// In the order of MpiCall.
[[nodiscard]] std::span<const MpiCallNames, mpi_call_count> mpi_calls();

[[nodiscard]] inline const MpiCallNames& names_of(MpiCall call) { return mpi_calls()[static_cast<std::size_t>(call)]; }

/// The variable that forces the algorithm of the call's form that does not block: "AYATORI_IBCAST".
[[nodiscard]] std::string_view nonblocking_variable(MpiCall call);

/// Whether a schedule of this algorithm can be executed with a size of its own for each block: it then sends blocks
/// only between ranks that know their size.
[[nodiscard]] bool takes_sizes_by_rank(MpiCall call, std::string_view algorithm);

}  // namespace ayatori
