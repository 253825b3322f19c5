#pragma once
/// \file
/// HPE Cray EX systems by their component names (xnames): the nodes and switches, and the dragonfly that Slingshot
/// makes of them. Names as in the Cray System Management guide, "Component Names (xnames)".

#include <string_view>

#include "ayatori/base/error.hpp"
#include "ayatori/network/network.hpp"

namespace ayatori {

/// Lines, in any order; '#' begins a comment:
///
///     x1000c0s0b0n0                              a node
///     10.100.0.1 nid000001 x1000c0s0b0n0         a node, named by the first other word that is not an address
///     x1000c0r1  or  x1000c0r1b0                 a switch
///     x1000c0r1j5p0 x1000c0s0b0n0h0 200Gbit/s    a cable: a switch's port and a node's NIC (or another switch's port),
///                                                and its rate, if known
///     cabinets-per-group=2                       see below; the default is 1
///
/// If the file has any cable of a node, it must have the cables of all nodes; the same holds for cables between
/// switches. Cables of a kind that the file lacks are assumed, with an unknown rate:
///
///     nodes     each has one NIC; those of a chassis are distributed evenly over its switches (or to those of its
///     cabinet, if
///               the chassis has none), in the order of their xnames
///     groups    as many cabinets as cabinets-per-group, in the order of their numbers, form a group; every two
///     switches
///               of a group have one cable, and so have every two groups, in the consecutive arrangement of
///               synthetic.hpp
///
/// A cabinet without any switch in the file gets one router per chassis, "x1000c0", which stands for all its switches.
/// Port p of connector j has the number 3·(j − 1) + p + 1; assumed cables have higher numbers. The plane is
/// "slingshot". Errors name file and line: any other line, two nodes of one name, a group of more than 65 switches,
/// more groups than the switches have ports for (a Rosetta has 64).
[[nodiscard]] Result<Network> parse_slingshot(std::string_view text, std::string_view file);
[[nodiscard]] Result<Network> open_slingshot(std::string_view file);

}  // namespace ayatori
