#pragma once
/// \file
/// Forwarding tables as files: what OpenSM dumps and loads, what dump_lfts and ibroute print.

#include <cstdint>
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
/// tables of a smaller fabric). Messages of the programs that wrote the tables are skipped, and shown by
/// Routes::warnings.
[[nodiscard]] Result<Routes> parse_tables(std::string_view text, std::string_view file, const Network& network);

struct TableFileOptions {
  /// After each entry its destination's port GUID and name, not only after the first entry of each LID. OpenSM takes
  /// the entry for this port's LIDs, also if they are others than the file says; entries without a comment it takes for
  /// the LIDs that they name. Comments are six of seven bytes.
  bool comments = true;
  /// Only the routers whose entries differ from these tables, of the same network. nullptr: all routers. OpenSM's file
  /// engine needs all of them: a router without a block gets no routes.
  const Routes* changed_from = nullptr;
};

/// Writes the file `lfts` for `opensm -R file -U lfts`.
void write_tables(const Network& network, const Routes& routes, const Sink& sink, TableFileOptions options = {});

/// How many bytes write_tables() writes.
[[nodiscard]] std::uint64_t table_file_bytes(const Network& network, const Routes& routes,
                                             TableFileOptions options = {});

/// Writes the file `guid2lid` for OpenSM's cache folder (`-x` honours it): for each port one record of port GUID, first
/// LID and last LID.
void write_guid_to_lid(const Network& network, const LidMap& lids, const Sink& sink);

}  // namespace ayatori
