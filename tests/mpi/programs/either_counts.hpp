#pragma once
// Included before all else, this makes each call of a collective one with int counts or one with large counts
// (MPI_Bcast_c, since MPI 4.0): each rank draws for itself, so one call has both. Arrays of counts and displacements
// must have an element for each rank of MPI_COMM_WORLD.

#include <mpi.h>

#include <random>
#include <type_traits>
#include <vector>

/// An argument of the form with int counts as the one that `Wide` is: MPI_Count and MPI_Aint may be of two types. MPI
/// may read the arrays of a call that does not block until its end: they stay.
template <typename Wide, typename Argument>
Wide widened(Argument argument) {
  if constexpr (std::is_convertible_v<Argument, Wide>) {
    return argument;
  } else {
    if (argument == nullptr) return nullptr;
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    return (new std::vector<std::remove_const_t<std::remove_pointer_t<Wide>>>(argument, argument + ranks))->data();
  }
}

inline bool draws_large() {
  static std::minstd_rand drawn = [] {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return std::minstd_rand(static_cast<unsigned>(rank) + 1);
  }();
  return drawn() % 2 == 0;
}

template <auto Small, auto Large>
struct Either;
template <typename... Arguments, typename... Wide, int (*Small)(Arguments...), int (*Large)(Wide...)>
struct Either<Small, Large> {
  static int call(Arguments... arguments) {
    return draws_large() ? Large(widened<Wide>(arguments)...) : Small(arguments...);
  }
};

#define EITHER(name) Either<&MPI_##name, &MPI_##name##_c>::call
#define MPI_Bcast EITHER(Bcast)
#define MPI_Reduce EITHER(Reduce)
#define MPI_Allreduce EITHER(Allreduce)
#define MPI_Reduce_scatter_block EITHER(Reduce_scatter_block)
#define MPI_Reduce_scatter EITHER(Reduce_scatter)
#define MPI_Allgather EITHER(Allgather)
#define MPI_Allgatherv EITHER(Allgatherv)
#define MPI_Gather EITHER(Gather)
#define MPI_Gatherv EITHER(Gatherv)
#define MPI_Scatter EITHER(Scatter)
#define MPI_Scatterv EITHER(Scatterv)
#define MPI_Alltoall EITHER(Alltoall)
#define MPI_Alltoallv EITHER(Alltoallv)
#define MPI_Ibcast EITHER(Ibcast)
#define MPI_Ireduce EITHER(Ireduce)
#define MPI_Iallreduce EITHER(Iallreduce)
#define MPI_Ireduce_scatter_block EITHER(Ireduce_scatter_block)
#define MPI_Ireduce_scatter EITHER(Ireduce_scatter)
#define MPI_Iallgather EITHER(Iallgather)
#define MPI_Iallgatherv EITHER(Iallgatherv)
#define MPI_Igather EITHER(Igather)
#define MPI_Igatherv EITHER(Igatherv)
#define MPI_Iscatter EITHER(Iscatter)
#define MPI_Iscatterv EITHER(Iscatterv)
#define MPI_Ialltoall EITHER(Ialltoall)
#define MPI_Ialltoallv EITHER(Ialltoallv)
