#pragma once
/// \file
/// Which routers of a tree are leaves, and on which levels above them the others are.

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "ayatori/network/network.hpp"

namespace ayatori {

/// Levels of a fat tree's routers: 0 for leaves, rising to the roots.
struct Levels {
  std::vector<std::uint8_t> level;  ///< by router id
  std::uint8_t count = 0;           ///< number of levels; leaves only: 1

  [[nodiscard]] bool is_root(DeviceId router) const { return level[router] + 1 == count; }
};

/// Why a network is not a tree of levels. The reason names the routers: "A port 3 and B port 4, both leaves, are
/// cabled".
struct NotATree {
  std::string reason;
};

/// Ranks the routers by their distance from the leaves. Leaves are the routers with machines. A router with a few
/// machines (management hosts on a spine) is not a leaf if it has at most half as many machines as the leaves have, and
/// is cabled to two or more leaves, or to routers that have no leaf in common. A router without machines is a leaf if
/// it shares at least three quarters of its neighbours with a leaf: a switch at the edge whose machines are gone, or
/// not there yet. Cables from a router to itself and cables to aggregation nodes are ignored. Errors: a cable that
/// joins two routers of one level (the first is named); a router that no leaf reaches; no router at all.
[[nodiscard]] std::expected<Levels, NotATree> rank_levels(const Network& network);

}  // namespace ayatori
