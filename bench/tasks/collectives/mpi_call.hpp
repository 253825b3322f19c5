#pragma once
/// \file
/// The MPI's own collectives, or those of whatever is preloaded.

#include "collectives.hpp"

namespace ayatori::bench {

inline void call_mpi(Call& call, int root) {
  const MPI_Comm world = MPI_COMM_WORLD;
  const MPI_Datatype type = MPI_UINT32_T;
  const int n = call.count();
  if (call.is("barrier")) MPI_Barrier(world);
  if (call.is("broadcast")) MPI_Bcast(call.in(), n, type, root, world);
  if (call.is("reduce")) MPI_Reduce(call.out(), call.in(), n, type, MPI_SUM, root, world);
  if (call.is("allreduce")) MPI_Allreduce(call.out(), call.in(), n, type, MPI_SUM, world);
  if (call.is("reduce_scatter")) MPI_Reduce_scatter_block(call.out(), call.in(), n, type, MPI_SUM, world);
  if (call.is("allgather")) MPI_Allgather(call.out(), n, type, call.in(), n, type, world);
  if (call.is("gather")) MPI_Gather(call.out(), n, type, call.in(), n, type, root, world);
  if (call.is("scatter")) MPI_Scatter(call.out(), n, type, call.in(), n, type, root, world);
  if (call.is("alltoall")) MPI_Alltoall(call.out(), n, type, call.in(), n, type, world);
}

}  // namespace ayatori::bench
