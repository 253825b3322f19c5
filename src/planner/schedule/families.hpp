#pragma once
/// \file
/// How each algorithm of the list is made. Callers go through make_schedule, which has checked call and placement.

#include "ayatori/schedule/algorithms.hpp"
#include "machine_ranks.hpp"
#include "phased_schedule.hpp"

namespace ayatori {

using Maker = Result<SchedulePtr>(const CollectiveCall& call, const Placement& placement,
                                  const AlgorithmOptions& options);

// alltoall.cpp
Maker make_shift, make_planned, make_pairwise, make_spread, make_ring_alltoall, make_two_level_ring,
    make_two_level_ring_blocking, make_bruck_alltoall;

// trees.cpp: broadcast, reduce, allreduce or barrier, as the call says, along one kind of tree
Maker make_binomial, make_knomial, make_linear_tree, make_chain, make_binary, make_mapped_binary;
Maker make_trinaryx1, make_trinaryx3, make_sixcolour;
Maker make_hierarchical_tree, make_gateway_trees, make_in_network;

// butterflies.cpp
Maker make_recursive_doubling, make_rabenseifner, make_swing, make_bine;
Maker make_halving_reduce_scatter, make_doubling_allgather;

// rings.cpp
Maker make_ring_allgather, make_ring_reduce_scatter, make_ring_allreduce, make_bruck_allgather;
Maker make_pairwise_reduce_scatter, make_neighbour_exchange;

// scatter_gather.cpp: scatter or gather, as the call says
Maker make_binomial_scatter_gather, make_linear_scatter_gather, make_hierarchical_scatter_gather;
Maker make_scatter_allgather;

// spread.cpp
Maker make_spread_allreduce, make_two_step_allreduce, make_spread_reduce_scatter, make_spread_allgather;
Maker make_spread_reduce, make_two_step_reduce, make_spread_barrier;

// neighbours.cpp
Maker make_dissemination, make_double_ring, make_doubling_barrier, make_halo;

// hierarchical.cpp
Maker make_hierarchical_alltoall, make_hierarchical_reduce_scatter, make_hierarchical_allreduce,
    make_hierarchical_allgather;

// gateway_alltoall.cpp
Maker make_gateway_alltoall, make_mixed_gateway_alltoall;

// mpi_trees.cpp: broadcast or reduce, as the call says; gather
Maker make_openmpi_binomial, make_openmpi_binary, make_openmpi_chains, make_openmpi_in_order_binary;
Maker make_openmpi_split_binary, make_openmpi_linear_sync;

// mpi_exchanges.cpp: reduce or allreduce, as the call says; broadcast
Maker make_openmpi_rabenseifner, make_mpich_rabenseifner, make_openmpi_segmented_ring;
Maker make_scatter_doubling, make_scatter_ring;

}  // namespace ayatori
