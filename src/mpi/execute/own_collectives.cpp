#include "own_collectives.hpp"

#include <mpi.h>

#include <cstring>
#include <limits>

namespace ayatori {

namespace {

/// Where a root or rank passes MPI_IN_PLACE, its part lies where it belongs already.
void* in_place_if(bool yes, std::byte* data) { return yes ? MPI_IN_PLACE : static_cast<void*>(data); }

/// Rank r's block of the result is slot r, but MPI puts it first.
int reduce_scatter(std::byte* data, int count, int rank) {
  const int code = MPI_Reduce_scatter_block(MPI_IN_PLACE, data, count, MPI_UINT8_T, MPI_SUM, MPI_COMM_WORLD);
  std::memmove(data + static_cast<std::ptrdiff_t>(rank) * count, data, static_cast<std::size_t>(count));
  return code;
}

}  // namespace

std::string_view plainest_algorithm(Collective collective) {
  switch (collective) {
    case Collective::alltoall:
      return "spread";
    case Collective::allgather:
    case Collective::reduce_scatter:
      return "ring";
    case Collective::gather:
    case Collective::scatter:
      return "linear";
    case Collective::barrier:
      return "tree";
    default:
      return "binomial";
  }
}

Bytes bytes_of_own_collective(const CollectiveCall& call) {
  switch (call.collective) {
    case Collective::alltoall:
      return 2 * call.bytes * call.ranks;
    case Collective::allgather:
    case Collective::reduce_scatter:
    case Collective::gather:
    case Collective::scatter:
      return call.bytes * call.ranks;
    default:
      return call.bytes;
  }
}

Result<> call_own_collective(const CollectiveCall& call, std::byte* data) {
  if (call.bytes > std::numeric_limits<int>::max()) return fail("{} bytes do not fit into an int", call.bytes);
  const MPI_Comm world = MPI_COMM_WORLD;
  const MPI_Datatype type = MPI_UINT8_T;
  const int count = static_cast<int>(call.bytes);
  const int root = static_cast<int>(call.root);
  int rank = 0;
  MPI_Comm_rank(world, &rank);
  const bool is_root = rank == root;
  std::byte* const own = data + static_cast<std::ptrdiff_t>(rank) * count;
  std::byte* const received = data + static_cast<std::ptrdiff_t>(call.ranks) * count;
  const auto call_mpi = [&]() -> int {
    switch (call.collective) {
      case Collective::barrier:
        return MPI_Barrier(world);
      case Collective::broadcast:
        return MPI_Bcast(data, count, type, root, world);
      case Collective::reduce:
        return MPI_Reduce(in_place_if(is_root, data), is_root ? data : nullptr, count, type, MPI_SUM, root, world);
      case Collective::allreduce:
        return MPI_Allreduce(MPI_IN_PLACE, data, count, type, MPI_SUM, world);
      case Collective::reduce_scatter:
        return reduce_scatter(data, count, rank);
      case Collective::allgather:
        return MPI_Allgather(MPI_IN_PLACE, 0, type, data, count, type, world);
      case Collective::gather:
        return MPI_Gather(in_place_if(is_root, own), count, type, data, count, type, root, world);
      case Collective::scatter:
        return MPI_Scatter(data, count, type, in_place_if(is_root, own), count, type, root, world);
      case Collective::alltoall:
        return MPI_Alltoall(data, count, type, received, count, type, world);
      default:
        return MPI_ERR_UNKNOWN;
    }
  };
  if (call_mpi() != MPI_SUCCESS) return fail("MPI has no {} like that", to_word(call.collective));
  return {};
}

}  // namespace ayatori
