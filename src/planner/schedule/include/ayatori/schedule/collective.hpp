#pragma once
/// \file
/// Collectives and their postconditions.
///
/// Slots at the start and at the end, by rank r of n; "own" slots hold contributions of r, all others are empty. B is
/// the number of blocks that an algorithm splits one vector into (block sizes differ by at most one byte, except in
/// algorithms that repeat an MPI's, which cut as it does; where bytes < B some blocks are empty). All slots after those
/// named here are scratch.
///
///   alltoall        slots 0 … n−1: own, slot j for rank j        end: slots n … 2n−1, slot n+j what j had for r
///   alltoallv       as alltoall, but each pair has a size of its own; pairs of no bytes have no message
///   broadcast       root: slots 0 … B−1 own                      end: slots 0 … B−1 as the root's, everywhere
///   reduce          slots 0 … B−1 own                            end: at the root, slots 0 … B−1 combined over all
///   allreduce       slots 0 … B−1 own                            end: slots 0 … B−1 combined over all ranks
///   reduce_scatter  slots 0 … n−1 own                            end: slot r combined over all ranks
///   allgather       slot r own                                   end: slots 0 … n−1, slot j what j had
///   gather          slot r own                                   end: at the root, slots 0 … n−1, slot j what j had
///   scatter         root: slots 0 … n−1 own                      end: slot r, what the root had in it
///   barrier         nothing                                      no rank ends before all have begun
///   halo            slots 0 … k−1 own, one a neighbour           end: slots k … 2k−1, what neighbour i sent towards r
///
/// Halo: B = k = 2D for D dimensions; neighbour 2d is the one above in dimension d, 2d + 1 the one below
/// (Schedule::neighbour). At an edge that is not periodic there is none: its slots are not used. Operations are
/// commutative and associative. postcondition.hpp has the same table as functions.
///
/// A runner whose elements are larger than a byte hands in elements for bytes: blocks then end between elements.

#include <cstdint>
#include <optional>
#include <string_view>

#include "ayatori/base/ids.hpp"

namespace ayatori {

using Slot = std::uint32_t;

/// Slots first … first + count − 1.
struct SlotRange {
  Slot first = 0;
  std::uint32_t count = 0;
};

enum class Collective : std::uint8_t {
  alltoall,
  alltoallv,
  broadcast,
  reduce,
  allreduce,
  reduce_scatter,
  allgather,
  gather,
  scatter,
  barrier,
  halo,
};

/// "alltoall", …, as the command line calls it; and back.
[[nodiscard]] std::string_view to_word(Collective collective);
[[nodiscard]] std::optional<Collective> parse_collective(std::string_view word);

/// Whether one rank has a part of its own in it: broadcast, reduce, gather, scatter.
[[nodiscard]] bool has_root(Collective collective);

struct CollectiveCall {
  Collective collective = Collective::barrier;
  Rank ranks = 1;
  Rank root = 0;  ///< where there is one
  /// As MPI counts: alltoall, allgather, gather, scatter, reduce_scatter: bytes from one rank to (or for) one other;
  /// broadcast, reduce, allreduce: the whole vector; halo: one face. alltoallv: all pairs together, which make_schedule
  /// works out (AlgorithmOptions::pair_sizes).
  Bytes bytes = 0;
};

}  // namespace ayatori
