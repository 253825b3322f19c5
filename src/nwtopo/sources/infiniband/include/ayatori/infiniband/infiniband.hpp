#pragma once
/// \file
/// InfiniBand subnets: from ibnetdiscover's output, or live through MADs.

#include <string_view>

#include "ayatori/base/error.hpp"
#include "ayatori/base/files.hpp"
#include "ayatori/network/network.hpp"

namespace ayatori {

/// Opens "ib:live", or "ib:FILE" with the output of ibnetdiscover, with or without -p (recognised by its first record).
/// `host_pattern` as in SourceOptions.
[[nodiscard]] Result<Network> open_infiniband(std::string_view rest, std::string_view host_pattern);

/// Whether a text, or the beginning of one, has lines that only ibnetdiscover prints, with or without -p.
[[nodiscard]] bool is_infiniband_report(std::string_view text);

/// Reads ibnetdiscover's default output, of every version since 2008: Switch, Ca and Rt records, "enhanced" or
/// "base port 0", with and without LIDs, grouped output ("Chassis" lines, "[ext n]"), -f's "s= w= v=" fields, also
/// ibsim's net files ("Hca" records; names without GUIDs get the GUIDs that ibsim would give them; ibsim's commands are
/// refused).
/// Every cable must join two known nodes, and both of its ends must report it, with the same LIDs: a file that was cut
/// off anywhere is therefore an error, never a smaller fabric. Where the ends report different rates, the lower one
/// counts. An Rt record (a router between subnets) is an end of this subnet: it becomes a machine with a NIC.
/// The log of a terminal is read, and what a web page made of a report ("&quot;S-…&quot;"): see saved_report.hpp.
/// Messages of the program (on lines of their own, as 2>&1 leaves them), shell prompts, and what a terminal shows
/// before and after the report are skipped and named by Network::warnings(). ibdiagnet's files are read, too: its
/// "switchguid=0x<system>(<node>)" of directors. Errors name file, line and what was expected. Node descriptions may
/// hold any bytes but control characters.
[[nodiscard]] Result<Network> parse_ibnetdiscover(std::string_view text, std::string_view file,
                                                  std::string_view host_pattern);

/// Reads the output of `ibnetdiscover -p`, one port per line. This format has no LMCs, no system GUIDs and no GUIDs of
/// channel adapters: the GUID of an adapter's first port stands for the adapter, and ports with the same description
/// and consecutive GUIDs belong to one adapter. Refuses files that were cut off, like parse_ibnetdiscover.
[[nodiscard]] Result<Network> parse_ports_report(std::string_view text, std::string_view file,
                                                 std::string_view host_pattern);

/// Discovers the subnet of the first active local port through libibnetdisc (a real one, or ibsim's under its preload).
/// The result is the same as parsing what ibnetdiscover would print at that moment.
/// Errors: libibnetdisc is not here; there is no port; MADs timed out (a half-read fabric is an error, never a
/// smaller fabric). In the last case libibnetdisc itself writes one line per MAD to stderr, which cannot be turned off.
/// Blocks until the subnet has answered. Not safe for concurrent use.
[[nodiscard]] Result<Network> discover_infiniband(std::string_view host_pattern);

/// Writes the network as ibnetdiscover prints it, which ibsim reads too. Reading it back gives the same network, except
/// that devices without a GUID get one. Of several planes, only the one called "infiniband" is written. ibsim 0.10
/// reads speeds above HDR as SDR, and lines of up to 254 bytes only: names of up to 150 bytes are safe.
void write_ibnetdiscover(const Network& network, const Sink& sink);

}  // namespace ayatori
