#pragma once
/// \file
/// Other names of hosts: a cloud's list has instance ids, and a hostfile host names.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/network/network.hpp"

namespace ayatori {

/// What has the hosts that a file of other names speaks of.
class KnownHosts {
 public:
  virtual ~KnownHosts() = default;
  /// The number of the host that a name, address or GUID ("0x…") means; nothing if none, or several.
  [[nodiscard]] virtual std::optional<std::uint64_t> find(std::string_view name) = 0;
  [[nodiscard]] virtual std::string name(std::uint64_t host) const = 0;
};

struct OtherName {
  std::string name;
  std::uint64_t host = 0;
};

/// Reads other names of hosts. Each line of `text` has names of one host, separated by blanks: NAME OTHER…; /etc/hosts
/// is such a text, whose addresses are names, too. '#' starts a comment. Lines that share a name are about one host.
/// Lines of loopback addresses (127.0.0.1, ::1) mean another host on each, and those without any known host none: both
/// are passed over. At most 2^20 names. Errors name `file` and line: a name that stands for two known hosts; too many
/// names.
[[nodiscard]] Result<std::vector<OtherName>> read_other_names(KnownHosts& hosts, std::string_view text,
                                                              std::string_view file);

/// The network, whose hosts place_job() also finds by the names in such a text.
[[nodiscard]] Result<Network> with_aliases(Network network, std::string_view text, std::string_view file);

}  // namespace ayatori
