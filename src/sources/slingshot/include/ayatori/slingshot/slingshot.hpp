#pragma once
/// \file
/// HPE Cray EX systems by their component names (xnames): which nodes and switches there are, and from that the
/// dragonfly that Slingshot forms of them. Names as in the Cray System Management guide, "Component Names (xnames)".

#include <string_view>

#include "ayatori/base/error.hpp"
#include "ayatori/network/network.hpp"

namespace ayatori {

/// Lines, in any order; '#' begins a comment:
///
///     x1000c0s0b0n0                              a node
///     10.100.0.1 nid000001 x1000c0s0b0n0         a node called by the first other word that is no address
///     x1000c0r1  or  x1000c0r1b0                 a switch
///     x1000c0r1j5p0 x1000c0s0b0n0h0 200Gbit/s    a cable: a switch's port and a node's NIC (or another switch's port),
///                                                and its rate, if known
///     cabinets-per-group=2                       see below; 1 where this is not said
///
/// What the file has cables of, of nodes or between switches, it must have all cables of. Where it has none, they are
/// assumed, of unknown rate:
///
///     nodes     each has one NIC; those of a chassis are dealt evenly to its switches (or to those of its cabinet, if
///               the chassis has none), in the order of their xnames
///     groups    so many cabinets, in the order of their numbers, form a group; all of its switches are cabled each to
///               each; each two groups have one cable, in the consecutive arrangement of synthetic.hpp
///
/// A cabinet without any switch in the file gets one router a chassis, "x1000c0", for all switches that are there.
/// Port p of connector j has the number 3·(j − 1) + p + 1; assumed cables have the numbers above. Plane "slingshot".
/// Errors name file and line: other lines, two nodes of one name, a group of more than 65 switches, more groups than
/// its switches have ports for (a Rosetta has 64).
[[nodiscard]] Result<Network> parse_slingshot(std::string_view text, std::string_view file);
[[nodiscard]] Result<Network> open_slingshot(std::string_view file);

}  // namespace ayatori
