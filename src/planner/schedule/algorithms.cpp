#include "ayatori/schedule/algorithms.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <limits>

#include "families.hpp"

namespace ayatori {

namespace {

/// Rows of the list. Their short names are those of other files' functions.
namespace rows {

using enum Collective;

/// What Algorithm says in members.
enum Flags : unsigned { on_grid = 1, pipelined = 2, of_an_mpi = 4, within_a_node = 8 };

constexpr Algorithm row(Collective collective, std::string_view name, std::string_view about, Maker* make,
                        unsigned flags = 0) {
  return {collective,
          name,
          about,
          (flags & on_grid) != 0,
          make,
          (flags & pipelined) != 0,
          (flags & of_an_mpi) != 0,
          (flags & within_a_node) != 0};
}

constexpr std::array all{
    row(alltoall, "shift", "step s: send to r + s, receive from r - s (paper 1, 2.3)", make_shift),
    row(alltoall, "pairwise", "exchange with r xor s, or s - r if the number of ranks is not a power of 2",
        make_pairwise),
    row(alltoall, "ring", "only neighbours talk; messages go round hop by hop", make_ring_alltoall),
    row(alltoall, "two-level-ring", "2-level ring: a machine at a time, all its ranks at once (paper 1, figure 7)",
        make_two_level_ring),
    row(alltoall, "two-level-ring-blocking", "2-level ring: a machine at a time, one of its ranks at a time",
        make_two_level_ring_blocking),
    row(alltoall, "bruck", "log2 n steps of many blocks (Bruck et al. 1997)", make_bruck_alltoall),
    row(alltoall, "spread", "all messages at once", make_spread),
    row(alltoall, "path-aware", "steps made for the paths, such that no step shares a link", make_planned),
    row(alltoall, "hierarchical", "gather on machines, exchange between their leaders, scatter on machines",
        make_hierarchical_alltoall),
    row(alltoall, "gateways", "from group to group through all of their gateways", make_gateway_alltoall),
    row(alltoall, "gateways-mixed", "gateways, but directly between ranks of which none is on one",
        make_mixed_gateway_alltoall),

    row(alltoallv, "shift", "alltoall's shift with a size for each pair", make_shift),
    row(alltoallv, "pairwise", "alltoall's pairwise with a size for each pair", make_pairwise),
    row(alltoallv, "two-level-ring", "alltoall's two-level-ring with a size for each pair", make_two_level_ring),
    row(alltoallv, "two-level-ring-blocking", "alltoall's two-level-ring-blocking with a size for each pair",
        make_two_level_ring_blocking),
    row(alltoallv, "spread", "alltoall's spread with a size for each pair", make_spread),
    row(alltoallv, "path-aware", "alltoall's planned with a size for each pair", make_planned),

    row(broadcast, "binomial", "binomial tree", make_binomial),
    row(broadcast, "knomial", "k-nomial tree, k = 4 by default", make_knomial),
    row(broadcast, "chain", "pipelined chain in rank order", make_chain, pipelined),
    row(broadcast, "binary", "pipelined binary tree in rank order (paper 2, figure 2c)", make_binary, pipelined),
    row(broadcast, "scatter-allgather", "binomial scatter, ring allgather (van de Geijn)", make_scatter_allgather),
    row(broadcast, "hierarchical", "binomial among groups, then machines, then ranks", make_hierarchical_tree),
    row(broadcast, "gateways", "one pipelined tree a gateway of the groups", make_gateway_trees, pipelined),
    row(broadcast, "mapped-binary", "pipelined binary tree mapped on the grid (paper 2, figure 2e)", make_mapped_binary,
        on_grid | pipelined),
    row(broadcast, "trinaryx1", "the first tree of trinaryx3, alone", make_trinaryx1, on_grid | pipelined),
    row(broadcast, "trinaryx3", "one pipelined tree a dimension of a torus (paper 2, 4.3)", make_trinaryx3,
        on_grid | pipelined),
    row(broadcast, "sixcolour", "trinaryx3 and its mirror images: two trees a dimension", make_sixcolour,
        on_grid | pipelined),
    row(broadcast, "linear", "the root sends to all at once", make_linear_tree, of_an_mpi),
    row(broadcast, "openmpi-binomial", "Open MPI's binomial tree: parents lack the highest bit", make_openmpi_binomial,
        pipelined | of_an_mpi),
    row(broadcast, "openmpi-binary", "Open MPI's pipelined binary tree", make_openmpi_binary, pipelined | of_an_mpi),
    row(broadcast, "openmpi-split-binary", "Open MPI's: a half down each side of the binary tree, then exchanged",
        make_openmpi_split_binary, pipelined | of_an_mpi),
    row(broadcast, "openmpi-chains", "Open MPI's pipelined chains, 4 by default", make_openmpi_chains,
        pipelined | of_an_mpi),
    row(broadcast, "mpi-scatter-ring", "scatter-allgather with blocks as MPI libraries cut them", make_scatter_ring,
        of_an_mpi),
    row(broadcast, "mpi-scatter-doubling", "binomial scatter, allgather by doubling, as in Open MPI and MPICH",
        make_scatter_doubling, of_an_mpi),

    row(reduce, "binomial", "binomial tree", make_binomial),
    row(reduce, "knomial", "k-nomial tree, k = 4 by default", make_knomial),
    row(reduce, "chain", "pipelined chain in rank order", make_chain, pipelined),
    row(reduce, "binary", "pipelined binary tree in rank order", make_binary, pipelined),
    row(reduce, "hierarchical", "binomial among ranks, then machines, then groups", make_hierarchical_tree),
    row(reduce, "spread", "all send to the root at once, which combines in rank order", make_spread_reduce,
        within_a_node),
    row(reduce, "two-step", "each rank combines a block of all, then the root collects", make_two_step_reduce,
        within_a_node),
    row(reduce, "gateways", "one pipelined tree a gateway of the groups", make_gateway_trees, pipelined),
    row(reduce, "mapped-binary", "pipelined binary tree mapped on the grid", make_mapped_binary, on_grid | pipelined),
    row(reduce, "trinaryx3", "one pipelined tree a dimension of a torus (paper 2, 4.3)", make_trinaryx3,
        on_grid | pipelined),
    row(reduce, "sixcolour", "trinaryx3 and its mirror images: two trees a dimension", make_sixcolour,
        on_grid | pipelined),
    row(reduce, "linear", "all send to the root at once", make_linear_tree, of_an_mpi),
    row(reduce, "openmpi-binary", "Open MPI's pipelined binary tree", make_openmpi_binary, pipelined | of_an_mpi),
    row(reduce, "openmpi-chains", "Open MPI's pipelined chains, 4 by default", make_openmpi_chains,
        pipelined | of_an_mpi),
    row(reduce, "openmpi-in-order-binary", "Open MPI's binary tree that combines in the order of ranks",
        make_openmpi_in_order_binary, pipelined | of_an_mpi),
    row(reduce, "openmpi-rabenseifner", "Open MPI's: near halves first, gathered at the root",
        make_openmpi_rabenseifner, of_an_mpi),
    row(reduce, "mpich-rabenseifner", "MPICH's: near halves first, gathered at the root", make_mpich_rabenseifner,
        of_an_mpi),

    row(allreduce, "recursive-doubling", "exchange everything with r xor 2^s", make_recursive_doubling),
    row(allreduce, "rabenseifner", "recursive halving, then recursive doubling", make_rabenseifner),
    row(allreduce, "ring", "ring reduce-scatter, ring allgather", make_ring_allreduce),
    row(allreduce, "swing", "distances 1, -1, 3, -5, ... on all ports of a torus (arXiv 2401.09356)", make_swing),
    row(allreduce, "bine", "butterfly of negabinary distances in rank order (arXiv 2508.17311)", make_bine),
    row(allreduce, "hierarchical", "reduce on machines, ring among their leaders, broadcast on machines",
        make_hierarchical_allreduce),
    row(allreduce, "gateways", "one pipelined tree a gateway of the groups, up and down at once", make_gateway_trees,
        pipelined),
    row(allreduce, "in-network", "routers reduce and broadcast (SHARP)", make_in_network, pipelined),
    row(allreduce, "binomial", "binomial tree up and down", make_binomial),
    row(allreduce, "spread", "all send everything to all, and each combines in rank order", make_spread_allreduce,
        within_a_node),
    row(allreduce, "two-step", "each rank combines a block of all, then sends it to all", make_two_step_allreduce,
        within_a_node),
    row(allreduce, "trinaryx3", "one pipelined tree a dimension, up and down at once", make_trinaryx3,
        on_grid | pipelined),
    row(allreduce, "sixcolour", "trinaryx3 and its mirror images: two trees a dimension", make_sixcolour,
        on_grid | pipelined),
    row(allreduce, "linear", "all send to rank 0, which sends to all", make_linear_tree, of_an_mpi),
    row(allreduce, "openmpi-rabenseifner", "Open MPI's: near halves first, and back", make_openmpi_rabenseifner,
        of_an_mpi),
    row(allreduce, "openmpi-segmented-ring", "Open MPI's: the blocks of the ring in parts", make_openmpi_segmented_ring,
        pipelined | of_an_mpi),
    row(allreduce, "mpich-rabenseifner", "MPICH's: near halves first, and back", make_mpich_rabenseifner, of_an_mpi),

    row(reduce_scatter, "ring", "each block goes round once", make_ring_reduce_scatter),
    row(reduce_scatter, "recursive-halving", "exchange halves with r xor n/2, n/4, ...", make_halving_reduce_scatter),
    row(reduce_scatter, "pairwise", "step s: send r + s its block", make_pairwise_reduce_scatter),
    row(reduce_scatter, "hierarchical", "reduce on machines, ring among their leaders, scatter on machines",
        make_hierarchical_reduce_scatter),
    row(reduce_scatter, "spread", "all messages at once; combines in rank order", make_spread_reduce_scatter,
        within_a_node),

    row(allgather, "ring", "each block goes round once", make_ring_allgather),
    row(allgather, "recursive-doubling", "exchange what there is with r xor 1, 2, 4, ...", make_doubling_allgather),
    row(allgather, "bruck", "fetch as much as there is from r + 1, 2, 4, ...", make_bruck_allgather),
    row(allgather, "hierarchical", "gather on machines, ring among their leaders, broadcast on machines",
        make_hierarchical_allgather),
    row(allgather, "neighbour-exchange", "two blocks to the rank above and the rank below, alternating",
        make_neighbour_exchange, of_an_mpi),
    row(allgather, "spread", "all messages at once", make_spread_allgather, within_a_node),

    row(gather, "binomial", "binomial tree", make_binomial_scatter_gather),
    row(gather, "linear", "all at once", make_linear_scatter_gather),
    row(gather, "hierarchical", "binomial among ranks, then machines, then groups", make_hierarchical_scatter_gather),
    row(gather, "openmpi-linear-sync", "Open MPI's: one after the other, when the root asks", make_openmpi_linear_sync,
        of_an_mpi),

    row(scatter, "binomial", "binomial tree", make_binomial_scatter_gather),
    row(scatter, "linear", "all at once", make_linear_scatter_gather),
    row(scatter, "hierarchical", "binomial among groups, then machines, then ranks", make_hierarchical_scatter_gather),

    row(barrier, "dissemination", "step s: signal r + 2^s", make_dissemination),
    row(barrier, "tree", "binomial tree up and down", make_binomial),
    row(barrier, "hierarchical", "binomial trees of ranks, machines, groups, up and down", make_hierarchical_tree),
    row(barrier, "in-network", "routers collect and release", make_in_network),
    row(barrier, "spread", "all signal all at once", make_spread_barrier, within_a_node),
    row(barrier, "linear", "all signal rank 0, which signals all", make_linear_tree, of_an_mpi),
    row(barrier, "double-ring", "two signals go round, one after the other", make_double_ring, of_an_mpi),
    row(barrier, "recursive-doubling", "exchange signals with r xor 2^s", make_doubling_barrier, of_an_mpi),

    row(halo, "halo", "both neighbours in each dimension, all at once", make_halo),
};

}  // namespace rows

constexpr std::span<const Algorithm> all_algorithms = rows::all;

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

Result<SchedulePtr> make_schedule(std::string_view algorithm, const CollectiveCall& call, const Placement& placement,
                                  const AlgorithmOptions& options) {
  const auto sized = checked_call(call, options);
  if (!sized) return Failure(sized.error());
  if (placement.machine.size() != call.ranks) {
    return fail("the call has {} ranks, their placement has {}", call.ranks, placement.machine.size());
  }
  for (const Algorithm& known : all_algorithms) {
    if (known.collective != call.collective || known.name != algorithm) continue;
    if (known.needs_grid && placement.dimensions.empty()) {
      return with_hint(fail("{} needs machines that form a grid, and these form none", algorithm),
                       "a job that fills a box of a torus or mesh");
    }
    constexpr Bytes most_chunks = 1 << 20;
    if (known.pipelined && options.chunk_bytes > 0 && sized->bytes / options.chunk_bytes > most_chunks) {
      return with_hint(fail("chunks of {} bytes would cut {} bytes into more than {} pieces", options.chunk_bytes,
                            sized->bytes, most_chunks),
                       "larger chunks");
    }
    return known.make(*sized, placement, options);
  }
  return unknown(algorithm, call.collective);
}

}  // namespace ayatori
