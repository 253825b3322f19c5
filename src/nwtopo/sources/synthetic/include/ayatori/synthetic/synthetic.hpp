#pragma once
/// \file
/// Networks from a formula: "key=value,…" (trees, dragonflies, full) or "4x6x16" (grids). All formulas take `rate`,
/// whose default is 4xHDR. Errors name the key and what was expected; a formula of more than 2^24 devices, 2^26 ports,
/// or routers with more than 254 ports is refused before any memory is allocated. Router GUIDs are 0x0020…, NIC GUIDs
/// 0x0010…; a NIC port's GUID is its NIC's plus the port number.

#include <optional>
#include <string_view>

#include "ayatori/base/error.hpp"
#include "ayatori/network/network.hpp"

namespace ayatori {

struct GridFormula;  // topology/grid.hpp

/// "K=6,levels=2,nodes=30": a K-ary-n-tree as paper 1 draws it (figures 1 and 6), of routers with 2K ports and one
/// cable between neighbours. The routers below the roots use ports 1 … K downwards and K + 1 … 2K upwards; the roots
/// use all ports downwards. Full size is what such routers allow, 2·K^levels hosts:
///
///     1 level   one router                                                     2K hosts
///     2 levels  2K leaves, K roots                                             2K² hosts (18-ary: 648)
///     3 levels  2K pods, each of K leaves and K middle routers, and K² roots   2K³ hosts (18-ary: 11,664)
///
/// `levels` is 1 … 4, by default 2. `nodes` (default: all) is the number of hosts; leaves (and pods) that
/// would have no host are left out, the roots stay. Port K + 1 + j of a leaf goes to root j, or to middle router j of
/// its pod, whose port K + 1 + t goes to root j·K + t. Names: hosts N0 …, leaves LS0 …, roots RS0 …, middle routers MS0
/// … (of 4 levels: MS2-0 …, MS3-0 …). A NIC is described as drivers do: "N0 HCA-1".
[[nodiscard]] Result<Network> open_fat_tree(std::string_view rest);

/// "h=3;m=18,18,36;w=1,18,18[;p=1,1,1][;nodes=N]": the extended generalized fat tree XGFT(h; m1…mh; w1…wh) (Öhring et
/// al., 1995) with p_i parallel cables (PGFT, Zahavi 2011). Level 0 are hosts; a level-i node has m_i children and
/// w_{i+1} parents. w1 > 1 gives each host w1 NICs (rails), p1 > 1 gives each NIC p1 ports. `h` may be left out.
/// Parallel cables use neighbouring ports. Accepts ',' or ';' between the keys. Names and `nodes` as above.
[[nodiscard]] Result<Network> open_xgft(std::string_view rest);

/// "4x6x16[,hosts=H]": one router with H (default 1) hosts at each point, cables to both neighbours in each dimension,
/// around the edge too. A dimension of 2 has one cable. `mesh` is the same without the cables around the edge.
/// Ports: the hosts', then for each dimension the neighbour above and the one below. Names: routers R3-0-15, hosts
/// N3-0-15 (with several at a point: N3-0-15-0 …).
[[nodiscard]] Result<Network> open_torus(std::string_view rest);
[[nodiscard]] Result<Network> open_mesh(std::string_view rest);

/// "4x4x4[,hosts=H]": HyperX (Ahn et al., "HyperX: topology, routing, and packaging of efficient large-scale networks",
/// 2009): routers at the points of a grid as above, each cabled to every other of its row in each dimension. Ports: the
/// hosts', then for each dimension the other routers of the row by rising coordinate. Any two routers are at most as
/// many hops apart as there are dimensions longer than 1.
[[nodiscard]] Result<Network> open_hyperx(std::string_view rest);

/// "10[,hosts=H]": the mesh of 10 (1 to 32) dimensions of length 2; equal to mesh:2x2x… port by port.
[[nodiscard]] Result<Network> open_hypercube(std::string_view rest);

/// The same networks as formulas, with the same names, ids and ports, of up to 2^32 - 1 points. Return nothing unless
/// each point has exactly one host.
[[nodiscard]] Result<std::optional<GridFormula>> torus_formula(std::string_view rest, bool physical_view);
[[nodiscard]] Result<std::optional<GridFormula>> mesh_formula(std::string_view rest, bool physical_view);
[[nodiscard]] Result<std::optional<GridFormula>> hypercube_formula(std::string_view rest, bool physical_view);

/// "h=2[,p=P][,a=A][,g=G]": a dragonfly (Kim et al., "Technology-driven, highly-scalable dragonfly topology", 2008) of
/// g groups, each of a routers that are cabled each to each; a router has p hosts and h cables to other groups. By
/// default it is balanced and of full size: p = h, a = 2h, g = a·h + 1. Ports of a router: 1 … p hosts, then the other
/// routers of its group, then its h global ones.
///
/// Global cables have the consecutive ("absolute") arrangement: the global ports of a group are numbered router by
/// router, and lead to the other groups in order. With fewer than a·h + 1 groups this repeats, so that each pair of
/// groups has ⌊a·h / (g − 1)⌋ cables; the remaining global ports stay unconnected. Names: routers R<group>-<router>,
/// hosts N<group>-<router>-<host>.
[[nodiscard]] Result<Network> open_dragonfly(std::string_view rest);

/// "h=2[,p=P][,l=L][,s=S][,g=G]": dragonfly+ (Shpiner et al., "Dragonfly+: low cost topology for scaling datacenters",
/// 2017): a group is l leaves with p hosts each and s spines with h global cables each, every leaf cabled to every
/// spine. By default all routers have 2h ports, and it is of full size: p = l = s = h, g = s·h + 1. Global cables as
/// above, numbered spine by spine. Ports of a leaf: hosts, spines; of a spine: leaves, global ones. Names: leaves
/// LS<group>-<leaf>, spines SS<group>-<spine>, hosts N<group>-<leaf>-<host>.
[[nodiscard]] Result<Network> open_dragonfly_plus(std::string_view rest);

/// "N" or "nodes=N[,hosts=H]": N routers R0 …, each with H (default 1) hosts, each cabled to every other.
/// Hosts are N0 … in the order of their routers.
[[nodiscard]] Result<Network> open_full(std::string_view rest);

}  // namespace ayatori
