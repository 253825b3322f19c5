#pragma once
/// \file
/// Precondition and postcondition of a collective: the contents of slots before and after a schedule is executed. They
/// are the table of collective.hpp as functions. The verifier, the check of executions with real data, and the tests
/// use them.

#include "ayatori/schedule/schedule.hpp"

namespace ayatori {

/// What `rank` has in its slot `slot` at the start.
struct Contribution {
  Rank rank = 0;
  Slot slot = 0;
  friend bool operator==(const Contribution&, const Contribution&) = default;
};

/// What one slot must hold at the end.
struct SlotContent {
  enum class Kind : std::uint8_t {
    nothing,       ///< nothing is written to it: no bytes in it (alltoallv), or no neighbour on that side (halo)
    contribution,  ///< just this one
    combination,   ///< slot `contribution.slot` of all ranks, each combined once
  };
  Kind kind = Kind::nothing;
  Contribution contribution;
  friend bool operator==(const SlotContent&, const SlotContent&) = default;
};

/// The slots that hold contributions of `rank` at the start: contribution {rank, slot} in each. Count 0 if none.
[[nodiscard]] SlotRange slots_at_start(const Schedule& schedule, Rank rank);

/// The slots that hold the result for `rank` at the end. Count 0 if none.
[[nodiscard]] SlotRange slots_at_end(const Schedule& schedule, Rank rank);

/// What a slot of slots_at_end must hold.
[[nodiscard]] SlotContent content_at_end(const Schedule& schedule, Rank rank, Slot slot);

}  // namespace ayatori
