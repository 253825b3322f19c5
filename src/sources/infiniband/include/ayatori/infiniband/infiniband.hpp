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
/// ibsim's net files ("Hca" records, names without GUIDs). Every cable that a router's record tells must join
/// known nodes; a channel adapter that only a router's line tells is taken from there.
/// Errors name file, line and what was expected.
[[nodiscard]] Result<Network> parse_ibnetdiscover(std::string_view text, std::string_view file, std::string_view host_pattern);

/// Reads the output of `ibnetdiscover -p`, one port a line.
[[nodiscard]] Result<Network> parse_ports_report(std::string_view text, std::string_view file, std::string_view host_pattern);

/// Discovers the subnet of the first active local port through libibnetdisc (a real one, or ibsim's under its preload).
/// Error: built without libibnetdisc; no port; MADs that time out (a half-read fabric is no smaller fabric).
[[nodiscard]] Result<Network> discover_infiniband(std::string_view host_pattern);

/// Writes the network as ibnetdiscover prints it, which ibsim reads too. Reading it back gives the same network.
void write_ibnetdiscover(const Network& network, const Sink& sink);

}  // namespace ayatori
