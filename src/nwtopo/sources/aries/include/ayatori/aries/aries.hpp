#pragma once
/// \file
/// Cray XC systems by the list of their Aries tiles that `rtr --interconnect` prints: a dragonfly with the cables that
/// are really there.

#include <string_view>

#include "ayatori/base/error.hpp"
#include "ayatori/network/network.hpp"

namespace ayatori {

/// One line per tile, in any order; '#' begins a comment:
///
///     c0-0c0s0a0l00(0:0:0) green -> c0-0c0s6a0l10(0:0:6)    a cable between two Aries routers; also black and blue
///     c0-0c0s0a0l01(0:0:0) blue -> unused                   a tile without a cable
///     c0-0c0s0a0l50(0:0:0) ptile -> processor               a tile of a node's NIC; also "host"
///
/// A name consists of cabinet (column-row), chassis, slot, Aries and tile; a tile's two digits are its row (0 … 5) and
/// column (0 … 7). The coordinates in parentheses are not needed. Green cables join the routers of a chassis, black
/// ones the chassis of a group, blue ones the groups.
///
/// Routers are named c0-0c0s0a0; tile l<row><column> is port 8·row + column + 1. The processor tiles of an Aries belong
/// to its NICs in pairs: tiles l50 and l51 to node c0-0c0s0n0, … , l56 and l57 to n3. Each node has one cable, at the
/// port of the first tile of its pair that the list has. A list without any processor tile gets four nodes per Aries.
/// The list has no rates: all rates are unknown. The plane is "aries".
///
/// Lines that do not begin with a tile are skipped, and named by Network::warnings().
/// Errors name file and line: a malformed line; a tile that is listed twice; a cable whose other end is listed with
/// another cable, or is not listed although the list has more than cables that are listed once (the file is cut off).
[[nodiscard]] Result<Network> parse_aries(std::string_view text, std::string_view file);

/// Opens a file. Errors: those of parse_aries; a file that cannot be read.
[[nodiscard]] Result<Network> open_aries(std::string_view file);

}  // namespace ayatori
