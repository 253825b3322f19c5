#pragma once
/// \file
/// Forwarding tables as files: what OpenSM dumps and loads, what dump_lfts and ibroute print.

#include <filesystem>
#include <string_view>

#include "ayatori/base/error.hpp"
#include "ayatori/base/files.hpp"
#include "ayatori/network/network.hpp"
#include "ayatori/tables/tables.hpp"

namespace ayatori {

/// Reads `opensm-lfts.dump`, OpenSM's file-engine input and the output of dump_lfts or ibroute. LIDs come from
/// the comments after the entries ("Channel Adapter portguid 0x…"), or from the network if an
/// entry has none. Errors name file and line: a router or port GUID that the network does not have, a port number
/// beyond the router's or without a cable, a LID after 0xBFFF, an entry outside a block, one LID with two owners,
/// a file without any entry, a router of the network without a block (so that a truncated file is not taken for the
/// tables of a smaller fabric).
[[nodiscard]] Result<Routes> parse_tables(std::string_view text, std::string_view file, const Network& network);

/// Writes the file `lfts` for `opensm -R file -U lfts`.
void write_tables(const Network& network, const Routes& routes, const Sink& sink);

/// Writes the file `guid2lid` for OpenSM's cache folder (`-x` honours it): for each port one record of port GUID, first
/// LID and last LID.
void write_guid_to_lid(const Network& network, const LidMap& lids, const Sink& sink);

}  // namespace ayatori
