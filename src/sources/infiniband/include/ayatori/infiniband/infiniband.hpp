#pragma once
/// \file
/// InfiniBand subnets: from ibnetdiscover's output, or live through MADs.

#include <string_view>

#include "ayatori/base/error.hpp"
#include "ayatori/base/files.hpp"
#include "ayatori/network/network.hpp"

namespace ayatori {

/// "ib:live", or "ib:FILE": what ibnetdiscover printed, with or without -p (told apart by the first record).
/// `host_pattern` as in SourceOptions.
[[nodiscard]] Result<Network> open_infiniband(std::string_view rest, std::string_view host_pattern);

/// Reads ibnetdiscover's default output. Grammar of every age since 2008: Switch, Ca and Rt records, "enhanced" or
/// "base port 0", with and without LIDs, grouped output ("Chassis" lines, "[ext n]"), -f's "s= w= v=" fields, also
/// ibsim's net files ("Hca" records, names without GUIDs, which are then counted as ibsim counts them; its commands
/// are refused).
/// Every cable must join known nodes and be told from both of its ends, with the same LIDs: so a file that was cut
/// off, anywhere, is an error and no smaller fabric. Where the ends tell different rates, the lower one counts.
/// An Rt record (a router between subnets) is an end here: it becomes a machine with a NIC.
/// Errors name file, line and what was expected. Node descriptions may hold any bytes but control characters.
[[nodiscard]] Result<Network> parse_ibnetdiscover(std::string_view text, std::string_view file,
                                                  std::string_view host_pattern);

/// Reads the output of `ibnetdiscover -p`, one port a line. It tells neither LMCs nor system GUIDs nor the GUID of a
/// channel adapter (that of its first port stands for it), and which ports share an adapter only by their descriptions
/// and consecutive GUIDs. Refuses what was cut off, like parse_ibnetdiscover.
[[nodiscard]] Result<Network> parse_ports_report(std::string_view text, std::string_view file,
                                                 std::string_view host_pattern);

/// Discovers the subnet of the first active local port through libibnetdisc (a real one, or ibsim's under its preload).
/// Gives what parsing ibnetdiscover's output of that moment would give.
/// Error: built without libibnetdisc; no port; MADs that time out (a half-read fabric is no smaller fabric). In that
/// last case libibnetdisc itself writes a line a MAD to stderr and has no switch against it. Blocks for as long as the
/// subnet takes to answer; one discovery at a time.
[[nodiscard]] Result<Network> discover_infiniband(std::string_view host_pattern);

/// Writes the network as ibnetdiscover prints it, which ibsim reads too. Reading it back gives the same network, except
/// that nodes without GUID get one. Of several planes, only the one called "infiniband" is written. ibsim 0.10 takes
/// speeds above HDR for SDR, and lines up to 254 bytes: names up to 150 bytes are safe.
void write_ibnetdiscover(const Network& network, const Sink& sink);

}  // namespace ayatori
