#include "ayatori/schedule/algorithms.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <limits>

#include "families.hpp"

namespace ayatori {

namespace {

constexpr bool on_grid = true;
constexpr bool pipelined = true;
constexpr bool in_one_piece = false;
constexpr bool of_an_mpi = true;
constexpr bool ours = false;
constexpr bool within_a_node = true;

constexpr std::array all_algorithms{
    Algorithm{Collective::alltoall, "shift", "step s: send to r + s, receive from r - s (paper 1, 2.3)", false,
              make_shift},
    Algorithm{Collective::alltoall, "pairwise",
              "exchange with r xor s, or s - r if the number of ranks is not a power of 2", false, make_pairwise},
    Algorithm{Collective::alltoall, "ring", "only neighbours talk; messages go round hop by hop", false,
              make_ring_alltoall},
    Algorithm{Collective::alltoall, "two-level-ring",
              "2-level ring: a machine at a time, all its ranks at once (paper 1, figure 7)", false,
              make_two_level_ring},
    Algorithm{Collective::alltoall, "two-level-ring-blocking",
              "2-level ring: a machine at a time, one of its ranks at a time", false, make_two_level_ring_blocking},
    Algorithm{Collective::alltoall, "bruck", "log2 n steps of many blocks (Bruck et al. 1997)", false,
              make_bruck_alltoall},
    Algorithm{Collective::alltoall, "spread", "all messages at once", false, make_spread},
    Algorithm{Collective::alltoall, "planned", "steps made for the paths, such that no step shares a link", false,
              make_planned},
    Algorithm{Collective::alltoall, "hierarchical",
              "gather on machines, exchange between their leaders, scatter on machines", false,
              make_hierarchical_alltoall},
    Algorithm{Collective::alltoall, "gateways", "from group to group through all of their gateways", false,
              make_gateway_alltoall},
    Algorithm{Collective::alltoall, "gateways-mixed", "gateways, but directly between ranks of which none is on one",
              false, make_mixed_gateway_alltoall},

    Algorithm{Collective::alltoallv, "shift", "alltoall's shift with a size for each pair", false, make_shift},
    Algorithm{Collective::alltoallv, "pairwise", "alltoall's pairwise with a size for each pair", false, make_pairwise},
    Algorithm{Collective::alltoallv, "two-level-ring", "alltoall's two-level-ring with a size for each pair", false,
              make_two_level_ring},
    Algorithm{Collective::alltoallv, "two-level-ring-blocking",
              "alltoall's two-level-ring-blocking with a size for each pair", false, make_two_level_ring_blocking},
    Algorithm{Collective::alltoallv, "spread", "alltoall's spread with a size for each pair", false, make_spread},
    Algorithm{Collective::alltoallv, "planned", "alltoall's planned with a size for each pair", false, make_planned},

    Algorithm{Collective::broadcast, "binomial", "binomial tree", false, make_binomial},
    Algorithm{Collective::broadcast, "knomial", "k-nomial tree, k = 4 by default", false, make_knomial},
    Algorithm{Collective::broadcast, "chain", "pipelined chain in rank order", false, make_chain, pipelined},
    Algorithm{Collective::broadcast, "binary", "pipelined binary tree in rank order (paper 2, figure 2c)", false,
              make_binary, pipelined},
    Algorithm{Collective::broadcast, "scatter-allgather", "binomial scatter, ring allgather (van de Geijn)", false,
              make_scatter_allgather},
    Algorithm{Collective::broadcast, "hierarchical", "binomial among groups, then machines, then ranks", false,
              make_hierarchical_tree},
    Algorithm{Collective::broadcast, "gateways", "one pipelined tree a gateway of the groups", false,
              make_gateway_trees, pipelined},
    Algorithm{Collective::broadcast, "mapped-binary", "pipelined binary tree mapped on the grid (paper 2, figure 2e)",
              on_grid, make_mapped_binary, pipelined},
    Algorithm{Collective::broadcast, "trinaryx1", "the first tree of trinaryx3, alone", on_grid, make_trinaryx1,
              pipelined},
    Algorithm{Collective::broadcast, "trinaryx3", "one pipelined tree a dimension of a torus (paper 2, 4.3)", on_grid,
              make_trinaryx3, pipelined},
    Algorithm{Collective::broadcast, "sixcolour", "trinaryx3 and its mirror images: two trees a dimension", on_grid,
              make_sixcolour, pipelined},
    Algorithm{Collective::broadcast, "linear", "the root sends to all at once", false, make_linear_tree, in_one_piece,
              of_an_mpi},
    Algorithm{Collective::broadcast, "openmpi-binomial", "Open MPI's binomial tree: parents lack the highest bit",
              false, make_openmpi_binomial, pipelined, of_an_mpi},
    Algorithm{Collective::broadcast, "openmpi-binary", "Open MPI's pipelined binary tree", false, make_openmpi_binary,
              pipelined, of_an_mpi},
    Algorithm{Collective::broadcast, "openmpi-split-binary",
              "Open MPI's: a half down each side of the binary tree, then exchanged", false, make_openmpi_split_binary,
              pipelined, of_an_mpi},
    Algorithm{Collective::broadcast, "openmpi-chains", "Open MPI's pipelined chains, 4 by default", false,
              make_openmpi_chains, pipelined, of_an_mpi},
    Algorithm{Collective::broadcast, "mpi-scatter-ring", "scatter-allgather with blocks as MPI libraries cut them",
              false, make_scatter_ring, in_one_piece, of_an_mpi},
    Algorithm{Collective::broadcast, "mpi-scatter-doubling",
              "binomial scatter, allgather by doubling, as in Open MPI and MPICH", false, make_scatter_doubling,
              in_one_piece, of_an_mpi},

    Algorithm{Collective::reduce, "binomial", "binomial tree", false, make_binomial},
    Algorithm{Collective::reduce, "knomial", "k-nomial tree, k = 4 by default", false, make_knomial},
    Algorithm{Collective::reduce, "chain", "pipelined chain in rank order", false, make_chain, pipelined},
    Algorithm{Collective::reduce, "binary", "pipelined binary tree in rank order", false, make_binary, pipelined},
    Algorithm{Collective::reduce, "hierarchical", "binomial among ranks, then machines, then groups", false,
              make_hierarchical_tree},
    Algorithm{Collective::reduce, "spread", "all send to the root at once, which combines in rank order", false,
              make_spread_reduce, in_one_piece, ours, within_a_node},
    Algorithm{Collective::reduce, "two-step", "each rank combines a block of all, then the root collects", false,
              make_two_step_reduce, in_one_piece, ours, within_a_node},
    Algorithm{Collective::reduce, "gateways", "one pipelined tree a gateway of the groups", false, make_gateway_trees,
              pipelined},
    Algorithm{Collective::reduce, "mapped-binary", "pipelined binary tree mapped on the grid", on_grid,
              make_mapped_binary, pipelined},
    Algorithm{Collective::reduce, "trinaryx3", "one pipelined tree a dimension of a torus (paper 2, 4.3)", on_grid,
              make_trinaryx3, pipelined},
    Algorithm{Collective::reduce, "sixcolour", "trinaryx3 and its mirror images: two trees a dimension", on_grid,
              make_sixcolour, pipelined},
    Algorithm{Collective::reduce, "linear", "all send to the root at once", false, make_linear_tree, in_one_piece,
              of_an_mpi},
    Algorithm{Collective::reduce, "openmpi-binary", "Open MPI's pipelined binary tree", false, make_openmpi_binary,
              pipelined, of_an_mpi},
    Algorithm{Collective::reduce, "openmpi-chains", "Open MPI's pipelined chains, 4 by default", false,
              make_openmpi_chains, pipelined, of_an_mpi},
    Algorithm{Collective::reduce, "openmpi-in-order-binary",
              "Open MPI's binary tree that combines in the order of ranks", false, make_openmpi_in_order_binary,
              pipelined, of_an_mpi},
    Algorithm{Collective::reduce, "openmpi-rabenseifner", "Open MPI's: near halves first, gathered at the root", false,
              make_openmpi_rabenseifner, in_one_piece, of_an_mpi},
    Algorithm{Collective::reduce, "mpich-rabenseifner", "MPICH's: near halves first, gathered at the root", false,
              make_mpich_rabenseifner, in_one_piece, of_an_mpi},

    Algorithm{Collective::allreduce, "recursive-doubling", "exchange everything with r xor 2^s", false,
              make_recursive_doubling},
    Algorithm{Collective::allreduce, "rabenseifner", "recursive halving, then recursive doubling", false,
              make_rabenseifner},
    Algorithm{Collective::allreduce, "ring", "ring reduce-scatter, ring allgather", false, make_ring_allreduce},
    Algorithm{Collective::allreduce, "swing", "distances 1, -1, 3, -5, ... on all ports of a torus (arXiv 2401.09356)",
              false, make_swing},
    Algorithm{Collective::allreduce, "bine", "butterfly of negabinary distances in rank order (arXiv 2508.17311)",
              false, make_bine},
    Algorithm{Collective::allreduce, "hierarchical",
              "reduce on machines, ring among their leaders, broadcast on machines", false,
              make_hierarchical_allreduce},
    Algorithm{Collective::allreduce, "gateways", "one pipelined tree a gateway of the groups, up and down at once",
              false, make_gateway_trees, pipelined},
    Algorithm{Collective::allreduce, "in-network", "routers reduce and broadcast (SHARP)", false, make_in_network,
              pipelined},
    Algorithm{Collective::allreduce, "binomial", "binomial tree up and down", false, make_binomial},
    Algorithm{Collective::allreduce, "spread", "all send everything to all, and each combines in rank order", false,
              make_spread_allreduce, in_one_piece, ours, within_a_node},
    Algorithm{Collective::allreduce, "two-step", "each rank combines a block of all, then sends it to all", false,
              make_two_step_allreduce, in_one_piece, ours, within_a_node},
    Algorithm{Collective::allreduce, "trinaryx3", "one pipelined tree a dimension, up and down at once", on_grid,
              make_trinaryx3, pipelined},
    Algorithm{Collective::allreduce, "sixcolour", "trinaryx3 and its mirror images: two trees a dimension", on_grid,
              make_sixcolour, pipelined},
    Algorithm{Collective::allreduce, "linear", "all send to rank 0, which sends to all", false, make_linear_tree,
              in_one_piece, of_an_mpi},
    Algorithm{Collective::allreduce, "openmpi-rabenseifner", "Open MPI's: near halves first, and back", false,
              make_openmpi_rabenseifner, in_one_piece, of_an_mpi},
    Algorithm{Collective::allreduce, "openmpi-segmented-ring", "Open MPI's: the blocks of the ring in parts", false,
              make_openmpi_segmented_ring, pipelined, of_an_mpi},
    Algorithm{Collective::allreduce, "mpich-rabenseifner", "MPICH's: near halves first, and back", false,
              make_mpich_rabenseifner, in_one_piece, of_an_mpi},

    Algorithm{Collective::reduce_scatter, "ring", "each block goes round once", false, make_ring_reduce_scatter},
    Algorithm{Collective::reduce_scatter, "recursive-halving", "exchange halves with r xor n/2, n/4, ...", false,
              make_halving_reduce_scatter},
    Algorithm{Collective::reduce_scatter, "pairwise", "step s: send r + s its block", false,
              make_pairwise_reduce_scatter},
    Algorithm{Collective::reduce_scatter, "hierarchical",
              "reduce on machines, ring among their leaders, scatter on machines", false,
              make_hierarchical_reduce_scatter},
    Algorithm{Collective::reduce_scatter, "spread", "all messages at once; combines in rank order", false,
              make_spread_reduce_scatter, in_one_piece, ours, within_a_node},

    Algorithm{Collective::allgather, "ring", "each block goes round once", false, make_ring_allgather},
    Algorithm{Collective::allgather, "recursive-doubling", "exchange what there is with r xor 1, 2, 4, ...", false,
              make_doubling_allgather},
    Algorithm{Collective::allgather, "bruck", "fetch as much as there is from r + 1, 2, 4, ...", false,
              make_bruck_allgather},
    Algorithm{Collective::allgather, "hierarchical",
              "gather on machines, ring among their leaders, broadcast on machines", false,
              make_hierarchical_allgather},
    Algorithm{Collective::allgather, "neighbour-exchange", "two blocks to the rank above and the rank below in turn",
              false, make_neighbour_exchange, in_one_piece, of_an_mpi},
    Algorithm{Collective::allgather, "spread", "all messages at once", false, make_spread_allgather, in_one_piece, ours,
              within_a_node},

    Algorithm{Collective::gather, "binomial", "binomial tree", false, make_binomial_scatter_gather},
    Algorithm{Collective::gather, "linear", "all at once", false, make_linear_scatter_gather},
    Algorithm{Collective::gather, "hierarchical", "binomial among ranks, then machines, then groups", false,
              make_hierarchical_scatter_gather},
    Algorithm{Collective::gather, "openmpi-linear-sync", "Open MPI's: one after the other, when the root asks", false,
              make_openmpi_linear_sync, in_one_piece, of_an_mpi},
    Algorithm{Collective::scatter, "binomial", "binomial tree", false, make_binomial_scatter_gather},
    Algorithm{Collective::scatter, "linear", "all at once", false, make_linear_scatter_gather},
    Algorithm{Collective::scatter, "hierarchical", "binomial among groups, then machines, then ranks", false,
              make_hierarchical_scatter_gather},

    Algorithm{Collective::barrier, "dissemination", "step s: signal r + 2^s", false, make_dissemination},
    Algorithm{Collective::barrier, "tree", "binomial tree up and down", false, make_binomial},
    Algorithm{Collective::barrier, "hierarchical", "binomial trees of ranks, machines, groups, up and down", false,
              make_hierarchical_tree},
    Algorithm{Collective::barrier, "in-network", "routers collect and release", false, make_in_network},
    Algorithm{Collective::barrier, "spread", "all signal all at once", false, make_spread_barrier, in_one_piece, ours,
              within_a_node},
    Algorithm{Collective::barrier, "linear", "all signal rank 0, which signals all", false, make_linear_tree,
              in_one_piece, of_an_mpi},
    Algorithm{Collective::barrier, "double-ring", "two signals go round, one after the other", false, make_double_ring,
              in_one_piece, of_an_mpi},
    Algorithm{Collective::barrier, "recursive-doubling", "exchange signals with r xor 2^s", false,
              make_doubling_barrier, in_one_piece, of_an_mpi},

    Algorithm{Collective::halo, "halo", "both neighbours in each dimension, all at once", false, make_halo},
};

Failure unknown(std::string_view algorithm, Collective collective) {
  std::vector<std::string_view> names;
  for (const Algorithm& known : all_algorithms) {
    if (known.collective == collective) names.push_back(known.name);
  }
  return with_hint(fail("no {} algorithm is called '{}'", to_word(collective), algorithm),
                   fmt::format("there are {}", fmt::join(names, ", ")));
}

/// Bytes of all slots of a participant must be countable; most algorithms have a few vectors of n slots.
constexpr Bytes max_bytes = std::numeric_limits<Bytes>::max() / 64;

Result<> check_size(const CollectiveCall& call) {
  if (call.ranks == 0) return fail("a collective needs at least one rank");
  if (call.ranks > max_ranks)
    return fail("{} ranks are more than the {} that schedules can have", call.ranks, max_ranks);
  if (call.root >= call.ranks) return fail("root {} of {} ranks (they count from 0)", call.root, call.ranks);
  if (call.bytes > max_bytes / call.ranks && call.collective != Collective::alltoallv)
    return fail("{} bytes for each of {} ranks can't be counted", call.bytes, call.ranks);
  return {};
}

}  // namespace

Result<CollectiveCall> checked_call(CollectiveCall call, const AlgorithmOptions& options) {
  if (const auto ok = check_size(call); !ok) return Failure(ok.error());
  if (call.collective != Collective::alltoallv) {
    if (options.pair_sizes.ranks > 0)
      return fail("a size for each pair is for alltoallv, not for {}", to_word(call.collective));
    return call;
  }
  const PairSizes& sizes = options.pair_sizes;
  if (sizes.ranks == 0) return fail("alltoallv needs a size for each pair of ranks");
  if (sizes.ranks != call.ranks)
    return fail("the call has {} ranks, the sizes are those of {}", call.ranks, sizes.ranks);
  call.bytes = 0;
  for (Rank from = 0; from < call.ranks; ++from) {
    for (Rank to = 0; to < call.ranks; ++to) {
      const Bytes bytes = sizes.bytes(from, to);
      if (bytes > max_bytes - call.bytes)
        return fail("the bytes of all pairs of {} ranks can't be counted", call.ranks);
      call.bytes += bytes;
    }
  }
  return call;
}

std::span<const Algorithm> algorithms() { return all_algorithms; }

bool names_loaded_algorithm(std::string_view name) { return name.starts_with("file:") || name.starts_with("library:"); }

PairSizes table_of_sizes(Rank ranks, std::vector<Bytes> sizes) {
  const auto table = std::make_shared<const std::vector<Bytes>>(std::move(sizes));
  return {ranks, [ranks, table](Rank from, Rank to) { return (*table)[std::size_t{from} * ranks + to]; }};
}

Result<SchedulePtr> make_schedule(std::string_view algorithm, const CollectiveCall& call, const Places& places,
                                  const AlgorithmOptions& options) {
  const auto sized = checked_call(call, options);
  if (!sized) return Failure(sized.error());
  if (places.machine.size() != call.ranks) {
    return fail("the call has {} ranks, their places are those of {}", call.ranks, places.machine.size());
  }
  for (const Algorithm& known : all_algorithms) {
    if (known.collective != call.collective || known.name != algorithm) continue;
    if (known.needs_grid && places.dimensions.empty()) {
      return with_hint(fail("{} needs machines that form a grid, and these form none", algorithm),
                       "a job that fills a box of a torus or mesh");
    }
    constexpr Bytes most_chunks = 1 << 20;
    if (known.pipelined && options.chunk_bytes > 0 && sized->bytes / options.chunk_bytes > most_chunks) {
      return with_hint(fail("chunks of {} bytes would cut {} bytes into more than {} pieces", options.chunk_bytes,
                            sized->bytes, most_chunks),
                       "larger chunks");
    }
    return known.make(*sized, places, options);
  }
  return unknown(algorithm, call.collective);
}

}  // namespace ayatori
