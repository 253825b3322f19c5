#pragma once
/// \file
/// Other names of hosts: a cloud's list has instance ids, and a hostfile host names.

#include <string_view>

#include "ayatori/base/error.hpp"
#include "ayatori/network/network.hpp"

namespace ayatori {

/// The network, whose hosts place_job() also finds by other names. Each line of `text` has names of one host, separated
/// by blanks: NAME OTHER…; /etc/hosts is such a text, whose addresses are names, too. '#' starts a comment. Lines that
/// share a name are about one host. Lines of loopback addresses (127.0.0.1, ::1) mean another host on each, and those
/// without any host of the network none: both are passed over. At most 2^20 names. Errors name `file` and line: a name
/// that stands for two hosts of the network; too many names.
[[nodiscard]] Result<Network> with_aliases(Network network, std::string_view text, std::string_view file);

}  // namespace ayatori
