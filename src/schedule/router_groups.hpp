#pragma once
/// \file
/// The groups of a dragonfly, recognised from its cables, so that every source that knows these knows the groups.

#include <cstdint>
#include <vector>

#include "ayatori/network/network.hpp"

namespace ayatori {

/// The group of each router; empty if the network is not a dragonfly. One is (Kim et al., "Technology-driven,
/// highly-scalable dragonfly topology", 2008; Shpiner et al., "Dragonfly+", 2017), here, a graph (shape.hpp) of at
/// least two groups which its *local* cables form, so that each group has a cable to the others, and within a group
///
///   dragonfly    each router to each; local are the cables whose two ends share at least t neighbours, for the least t
///                that gives such groups. The ends of a cable between groups share few or none. So groups of two
///                routers can't be recognised, and where pairs of groups have many cables, what these form may be the
///                better connected group
///   dragonfly+   each router with machines to each without; local are the cables between these two kinds
///
/// "Each" is three quarters of all pairs: some cables may be missing. Takes time in the order of cables times ports.
[[nodiscard]] std::vector<std::uint32_t> dragonfly_groups(const Network& network);

}  // namespace ayatori
