#include "ayatori/tuning/mpi_call.hpp"

#include <fmt/core.h>

#include <string>

namespace ayatori {

namespace {

constexpr std::array<MpiCallNames, mpi_call_count> all_calls = {{
    {MpiCall::barrier, "MPI_Barrier", "AYATORI_BARRIER", Collective::barrier, false},
    {MpiCall::bcast, "MPI_Bcast", "AYATORI_BCAST", Collective::broadcast, false},
    {MpiCall::reduce, "MPI_Reduce", "AYATORI_REDUCE", Collective::reduce, false},
    {MpiCall::allreduce, "MPI_Allreduce", "AYATORI_ALLREDUCE", Collective::allreduce, false},
    {MpiCall::reduce_scatter_block, "MPI_Reduce_scatter_block", "AYATORI_REDUCE_SCATTER_BLOCK",
     Collective::reduce_scatter, false},
    {MpiCall::reduce_scatter, "MPI_Reduce_scatter", "AYATORI_REDUCE_SCATTER", Collective::reduce_scatter, true},
    {MpiCall::allgather, "MPI_Allgather", "AYATORI_ALLGATHER", Collective::allgather, false},
    {MpiCall::allgatherv, "MPI_Allgatherv", "AYATORI_ALLGATHERV", Collective::allgather, true},
    {MpiCall::gather, "MPI_Gather", "AYATORI_GATHER", Collective::gather, false},
    {MpiCall::gatherv, "MPI_Gatherv", "AYATORI_GATHERV", Collective::gather, true},
    {MpiCall::scatter, "MPI_Scatter", "AYATORI_SCATTER", Collective::scatter, false},
    {MpiCall::scatterv, "MPI_Scatterv", "AYATORI_SCATTERV", Collective::scatter, true},
    {MpiCall::alltoall, "MPI_Alltoall", "AYATORI_ALLTOALL", Collective::alltoall, false},
    {MpiCall::alltoallv, "MPI_Alltoallv", "AYATORI_ALLTOALLV", Collective::alltoall, true},
}};

std::array<std::string, mpi_call_count> make_nonblocking_variables() {
  constexpr std::string_view prefix = "AYATORI_";
  std::array<std::string, mpi_call_count> variables;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    variables[i] = fmt::format("{}I{}", prefix, all_calls[i].variable.substr(prefix.size()));
  }
  return variables;
}

}  // namespace

std::string_view nonblocking_variable(MpiCall call) {
  static const auto variables = make_nonblocking_variables();
  return variables[static_cast<std::size_t>(call)];
}

std::span<const MpiCallNames, mpi_call_count> mpi_calls() { return all_calls; }

bool takes_sizes_by_rank(MpiCall call, std::string_view algorithm) {
  switch (call) {
    case MpiCall::reduce_scatter:  // a scratch slot has the size of the rank's own block
      return algorithm == "pairwise";
    case MpiCall::allgatherv:  // every rank knows every size, and every slot belongs to one rank
      return algorithm == "ring" || algorithm == "recursive-doubling" || algorithm == "bruck" || algorithm == "spread";
    case MpiCall::gatherv:
    case MpiCall::scatterv:  // only the root knows all sizes
      return algorithm == "linear";
    case MpiCall::alltoallv:  // no rank passes on what others sent
      return algorithm == "shift" || algorithm == "pairwise" || algorithm == "spread" || algorithm == "path-aware" ||
             algorithm == "two-level-ring" || algorithm == "two-level-ring-blocking";
    default:
      return true;
  }
}

}  // namespace ayatori
