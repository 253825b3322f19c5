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
  /// By router id: a router without machines that joins no leaves which lower ones do not join, and is not below one
  /// that does; or one that joins two leaves next to others that join these and more than twice as many. Examples: a
  /// leaf or a pod without machines, a chain of routers on a leaf, a router cabled to spines, or to two leaves.
  std::vector<bool> idle;
  std::uint8_t count = 0;  ///< number of levels of the routers that are not idle; leaves only: 1
};

/// Why a network is not a tree of levels. The reason names the routers: "A port 3 and B port 4, both leaves, are
/// cabled".
struct NotATree {
  std::string reason;
};

/// Ranks the routers by their distance from the leaves. Leaves are the routers with machines. A router with a few
/// machines (management hosts on a spine) is not a leaf if it has at most half as many machines as the leaves have, and
/// is cabled to two or more leaves, or to routers that have no leaf in common. Cables from a router to itself and
/// cables to aggregation nodes are ignored.
///
/// Idle routers change nothing for the others. A router joins leaves that lower ones do not join if it brings one of
/// its leaves more than half of the others below it: cut cables may part a few leaves. Next to the only router with
/// machines all are idle. Where idle routers alone join parts that have machines, none is. The level of an idle router
/// is one below that of the router on which it hangs, or one above a leaf: it is for drawings, no route climbs by it.
///
/// Errors: a cable that joins two routers of one level that are not idle (the first is named); a router 255 cables or
/// more away from the leaves; no router at all; no machine at all.
[[nodiscard]] std::expected<Levels, NotATree> rank_levels(const Network& network);

}  // namespace ayatori
