#pragma once
/// \file
/// The two phases of a ring, for algorithms that are made of them. Block b is slot b.

#include "phased_schedule.hpp"

namespace ayatori {

/// At the end, rank r of n has block r + ahead combined over all. Needs a scratch pair of the layout.
[[nodiscard]] PhasePtr ring_reduce_scatter(Rank n, const SlotLayout& layout, Rank ahead = 0);
/// At the start rank r of n has block r + ahead, at the end every rank has all blocks.
[[nodiscard]] PhasePtr ring_allgather(Rank n, Rank ahead = 0);

}  // namespace ayatori
