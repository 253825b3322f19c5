#pragma once
/// \file
/// Forwarding tables for fat trees, regular or not, with one or several LIDs per
/// destination; and for any other network. Parts of a network that no cables join have tables of their own.
///
/// A *path* of a tree is a root router together with a choice among parallel cables. Packets climb towards their
/// path's root until they meet a router that has the destination below it, and then descend. Which path a LID
/// takes, for the destination with number i in network order and P paths to its leaf:
///
///     LID base + j  takes path (i + j) mod P
///
/// So base LIDs are d-mod-k, as OpenSM's ftree routes, and have the same entries at every LMC: who knows
/// nothing of the other LIDs loses nothing by them (decision 2).
///
/// Paths are ordered so that neighbouring numbers leave a leaf by different ports. Where a path's cable is missing, or
/// would not be on a shortest route, the paths that exist share its packets.
///
/// Deadlock: the routers have one total order, in which every route climbs, then descends, and never climbs again. So
/// channel dependencies have no cycle. In a tree the order is that of its levels, except for a few routers that are
/// raised so that there is a single top: packets from root to root, and between leaves without a common root, go
/// through them (docs/decisions/0003-one-order-for-all-routes.md has the argument). Where this order would forbid
/// routes between hosts, all go by levels alone, if the check finds no cycle. In networks that are not trees of levels,
/// the channel dependencies themselves are kept without a cycle (balanced_paths.hpp, decision 25). There, LID base + j
/// has its own paths for each j: base LIDs the shortest that are allowed, evenly spread; the others also longer ones,
/// drawn at random with a fixed seed, so that a plan has a choice.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/base/search_control.hpp"
#include "ayatori/network/network.hpp"
#include "ayatori/tables/tables.hpp"

namespace ayatori {

struct LmcChoice {
  int lmc = 0;
  std::uint32_t paths = 1;  ///< most paths that any leaf of a tree has (P); elsewhere most cables of a router with NICs
  bool all_paths = true;    ///< 2^lmc >= paths
  std::string explanation;  ///< "LMC 3: 8 LIDs a port for 6 paths, last LID 0x00ff", and why no larger LMC fits
};

/// The smallest LMC that gives every path a LID, off trees every cable of a router; if LMC <= 7 or the LID space does
/// not allow it, the largest that fits. Errors: not even LMC 0 fits; a router with more than 254 ports.
[[nodiscard]] Result<LmcChoice> choose_lmc(const Network& network);

/// Which path LID base + j takes.
enum class PathNumbering : std::uint8_t {
  by_destination,  ///< (i + j) mod P
  /// j mod P where 2^lmc >= P, so that LID base + j goes by root j (paper 1, section 4.1); else as by_destination. For
  /// the paper's figures: all base LIDs go by root 0.
  by_root,
};

enum class Engine : std::uint8_t { fat_tree, balanced };

struct Generated {
  Routes routes;
  int lmc = 0;
  Engine engine = Engine::fat_tree;
  std::uint32_t paths = 1;         ///< as LmcChoice::paths
  bool lids_kept = false;          ///< the reported LIDs were kept
  std::vector<std::string> notes;  ///< to show to users: why not as a tree, which leaves lack paths, …
};

/// Makes tables at the given LMC. The LIDs that the network reports are kept if they are complete and have this LMC;
/// otherwise LidMap::assign. Deterministic, whatever the number of threads (threads over destination leaves).
/// Between parts of a network that no cables join (describe_parts) there are no entries.
/// Errors: see LidMap::assign; a network without routers; a router with more than 254 ports.
///
/// `endpoint_numbers` are the numbers i of the rule above, by place in network.endpoints(); empty: the places
/// themselves. Jobs whose endpoints have consecutive numbers of their own get paths of their own tables as paper 1's
/// rule gives them LIDs: as many of a job's endpoints on each path as on any other. Error: numbers for more or fewer
/// endpoints.
///
/// `control` counts the trees of balanced paths. Stopped, it makes them hastily: the tables are good, but less
/// balanced.
[[nodiscard]] Result<Generated> generate_routes(const Network& network, int lmc,
                                                std::span<const std::uint32_t> endpoint_numbers = {},
                                                PathNumbering numbering = PathNumbering::by_destination,
                                                const SearchControl& control = {});

}  // namespace ayatori
