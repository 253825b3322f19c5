#pragma once
/// \file
/// Where each rank is, by a rule instead of a table: ranks fill host after host, hosts have consecutive IPv4 addresses,
/// the ranks of a host consecutive ports.

#include <netinet/in.h>

#include "ayatori/base/error.hpp"
#include "ayatori/base/ids.hpp"

namespace ayatori::wires {

struct UdpAddresses {
  std::uint32_t first_host = INADDR_LOOPBACK;  ///< of rank 0, in the machine's byte order
  std::uint16_t first_port = 24'000;           ///< of the first rank of each host
  std::uint32_t ranks_per_host = 1;

  [[nodiscard]] sockaddr_in of(Rank rank) const;
  [[nodiscard]] std::uint32_t host_of(Rank rank) const { return rank / ranks_per_host; }
};

/// Error: no rank fits on a host, or its ports end after 65,535.
[[nodiscard]] Result<> check(const UdpAddresses& addresses);

/// "10.0.0.7:24001"
[[nodiscard]] std::string text_of(const sockaddr_in& address);

}  // namespace ayatori::wires
