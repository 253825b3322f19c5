#pragma once
/// \file
/// The list of algorithms: every collective, every name, and how to make one.

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/schedule/places.hpp"
#include "ayatori/schedule/schedule.hpp"

namespace ayatori {

/// Slots are numbered with 32 bits, and algorithms have up to some ten a rank.
inline constexpr Rank max_ranks = 1U << 24;

/// How much each rank has for each, itself included.
struct PairSizes {
  Rank ranks = 0;
  /// Asked again whenever somebody looks at a message, from any thread: to be answered in O(1), from a formula, or from
  /// a table that all copies share.
  std::function<Bytes(Rank from, Rank to)> bytes;
};

/// A table: `ranks` rows, one a sender, of as many sizes each.
[[nodiscard]] PairSizes table_of_sizes(Rank ranks, std::vector<Bytes> sizes);

struct AlgorithmOptions {
  std::uint32_t radix = 0;  ///< of k-nomial trees; 0: the algorithm's own choice
  /// Of pipelines, 0: chosen from the bytes m that one stream carries, the tree's depth d and h = 16 KiB (a message
  /// that takes as long as its overhead): sqrt((d − 1) · m / h) chunks, the minimum of (d + S − 1) · (h + m / S).
  Bytes chunk_bytes = 0;
  std::vector<Rank> order;  ///< of "planned": the distances 1 … n − 1 in the order in which they are to be taken
  /// Of "halo": lengths of the grid of ranks, and which of them are rings. Empty: the places' grid if it has one rank a
  /// machine, otherwise three rings as equal as the number of ranks allows.
  std::vector<std::uint32_t> stencil;
  std::vector<bool> stencil_periodic;
  PairSizes pair_sizes;  ///< of alltoallv, which needs them
};

struct Algorithm {
  Collective collective;
  std::string_view name;    ///< "two-level-ring"
  std::string_view about;   ///< one line, with its source
  bool needs_grid = false;  ///< Places::dimensions must not be empty
  Result<SchedulePtr> (*make)(const CollectiveCall& call, const Places& places, const AlgorithmOptions& options);
  bool pipelined = false;  ///< AlgorithmOptions::chunk_bytes has a meaning; slot 0 of its schedules is one chunk
};

[[nodiscard]] std::span<const Algorithm> algorithms();

/// The name that algorithms() lists, for a name that a user may still write: "two-level-ring" for "ring2", which it was
/// called before. Any other name is returned as it is.
[[nodiscard]] std::string_view current_name(std::string_view algorithm);

/// Every algorithm works for every number of ranks from 1 on; those that need a grid need one. Errors: a name that is
/// not known for the collective (the hint lists those that are), a root beyond the ranks, places of another number of
/// ranks, no rank or more than max_ranks, options that don't fit, more than 2^58 bytes in all. alltoallv asks for the
/// size of each pair once to count them; CollectiveCall::bytes is not looked at.
[[nodiscard]] Result<SchedulePtr> make_schedule(std::string_view algorithm, const CollectiveCall& call,
                                                const Places& places, const AlgorithmOptions& options = {});

}  // namespace ayatori
