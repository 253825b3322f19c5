#pragma once
/// \file
/// Networks from a formula. What stands behind the kind's colon is "key=value,…" (trees, full) or "4x6x16" (grids),
/// with `rate=4xHDR` understood by all (that is the default). Errors name the key and what was expected; a formula
/// that asks for more than 2^24 nodes is refused.

#include <string_view>

#include "ayatori/base/error.hpp"
#include "ayatori/network/network.hpp"

namespace ayatori {

/// "K=6,levels=2,nodes=30": a K-ary-n-tree as paper 1 draws it (figures 1 and 6): leaves with K hosts and K cables up, routers
/// with 2K ports, roots with one cable to each leaf below. Full size is K·(2K)^(levels−1)/… hosts as 2K-port switches allow:
/// 2 levels: 2K leaves, K roots, 2K² hosts (18-ary: 648); 3 levels: 2K pods of K leaves and K middle routers, K² roots,
/// 2K³ hosts (18-ary: 11,664). `nodes` (default: all) attaches the first so many hosts, and leaves out
/// leaves (and pods) that would have none; the roots stay. Names: hosts N0 …, leaves LS0 …, 3-level middle routers MS0 …, roots RS0 ….
[[nodiscard]] Result<Network> open_fat_tree(std::string_view rest);

/// "h=3;m=18,18,36;w=1,18,18[;p=1,1,1][;nodes=N]": the extended generalized fat tree XGFT(h; m1…mh; w1…wh) (Öhring et al., 1995) with p_i
/// parallel cables (PGFT, Zahavi 2011). Level 0 are hosts; a level-i node has m_i children and w_{i+1} parents.
/// w1 > 1 gives each host w1 NICs (rails). Accepts ',' or ';' between the keys.
[[nodiscard]] Result<Network> open_xgft(std::string_view rest);

/// "4x6x16": one router with one host at each point, cables to both neighbours in each dimension, around the edge too.
/// A dimension of 2 has one cable. `mesh` is the same without the cables around the edge.
[[nodiscard]] Result<Network> open_torus(std::string_view rest);
[[nodiscard]] Result<Network> open_mesh(std::string_view rest);

/// "N" or "nodes=N[,hosts=H]": N routers, each with H (default 1) hosts, each cabled to every other.
[[nodiscard]] Result<Network> open_full(std::string_view rest);

}  // namespace ayatori
