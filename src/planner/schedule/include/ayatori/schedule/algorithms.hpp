#pragma once
/// \file
/// The algorithms of all collectives by name, and the schedules that they make.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/schedule/placement.hpp"
#include "ayatori/schedule/planned_steps.hpp"
#include "ayatori/schedule/schedule.hpp"

namespace ayatori {

/// The most ranks of a schedule: slots are numbered with 32 bits, and algorithms have some ten slots for each rank.
inline constexpr Rank max_ranks = 1U << 24;

/// The bytes that each rank sends to each rank, itself included, in an alltoallv.
struct PairSizes {
  Rank ranks = 0;
  /// Called for every message, possibly by several threads at once. It should answer in O(1), from a formula or from a
  /// table that all copies share.
  std::function<Bytes(Rank from, Rank to)> bytes;
};

/// `sizes` are `ranks` rows of `ranks` sizes in bytes: one row for each sender.
[[nodiscard]] PairSizes table_of_sizes(Rank ranks, std::vector<Bytes> sizes);

/// Parameters of algorithms. Each applies to the algorithms named in its comment; others ignore it.
struct AlgorithmOptions {
  std::uint32_t radix = 0;  ///< of k-nomial trees, at least 2; of chains, their number; 0: the algorithm's own choice
  /// The size of one chunk of a pipeline. 0: the number S of chunks is chosen so that (d + S − 1) · (h + m / S) is
  /// smallest, S = sqrt((d − 1) · m / h), where m are the bytes that one stream carries, d is the tree's depth and
  /// h = 16 KiB, a message that takes as long as its overhead.
  Bytes chunk_bytes = 0;
  /// Of "planned": who sends to whom in which step. Without them "path-aware" is "shift".
  std::shared_ptr<const PlannedSteps> planned_steps;
  /// Of "halo": the lengths of the grid of ranks in row-major order, and which of its dimensions are rings. Empty: the
  /// placement's grid if it has one rank on each machine; otherwise three rings of lengths as equal as the number of
  /// ranks allows.
  std::vector<std::uint32_t> stencil;
  std::vector<bool> stencil_periodic;
  PairSizes pair_sizes;  ///< of alltoallv, where they are required
};

/// A known algorithm of a collective, and its properties.
struct Algorithm {
  Collective collective;
  std::string_view name;    ///< "two-level-ring"
  std::string_view about;   ///< one line, with its source
  bool needs_grid = false;  ///< Placement::dimensions must not be empty
  Result<SchedulePtr> (*make)(const CollectiveCall& call, const Placement& placement, const AlgorithmOptions& options);
  bool pipelined = false;  ///< AlgorithmOptions::chunk_bytes applies; slot 0 of its schedules is one chunk
  /// An algorithm of an MPI library, for predictions and for the tables that `ayatori choose --to` writes. Our own
  /// choices leave it out. A pipelined one sends one chunk if chunk_bytes is 0.
  bool of_an_mpi = false;
  /// For ranks that share memory: few steps, and messages from every rank to every other. Choices for networks leave it
  /// out.
  bool within_a_node = false;
};

/// All algorithms, ordered by collective.
[[nodiscard]] std::span<const Algorithm> algorithms();

/// Whether a name is that of an algorithm of others: "file:…" or "library:…" (ayatori/loaded/loaded_algorithm.hpp).
[[nodiscard]] bool names_loaded_algorithm(std::string_view name);

/// The call, if a schedule can be made for it; of an alltoallv with the bytes of all its pairs, which are asked for
/// once each. Errors: no rank, or more than max_ranks; a root that is not a rank; pair sizes of another collective or
/// number of ranks, or none for an alltoallv; more than 2^58 bytes in all.
[[nodiscard]] Result<CollectiveCall> checked_call(CollectiveCall call, const AlgorithmOptions& options);

/// Makes the schedule of one call. Every algorithm works for every number of ranks from 1 to max_ranks.
///
/// `algorithm` is a name that algorithms() lists for the call's collective. `placement` says where the ranks are. An
/// alltoallv takes its sizes from `options.pair_sizes`, asks for each of them once, and ignores call.bytes.
///
/// Errors: an unknown name (the hint lists the known ones); a root that is not a rank; a placement of another number of
/// ranks; no rank, or more than max_ranks; an algorithm that needs a grid where the machines form none; options that do
/// not fit; more than 2^58 bytes in all.
[[nodiscard]] Result<SchedulePtr> make_schedule(std::string_view algorithm, const CollectiveCall& call,
                                                const Placement& placement, const AlgorithmOptions& options = {});

}  // namespace ayatori
