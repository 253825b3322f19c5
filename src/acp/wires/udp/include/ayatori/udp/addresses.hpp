#pragma once
/// \file
/// The address of each rank, by a rule instead of a table: ranks fill host after host, hosts have consecutive IPv4
/// addresses, and the ranks of a host have consecutive ports.

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

/// Errors: ranks_per_host is 0, or the ports of a host would go beyond 65,535.
[[nodiscard]] Result<> check(const UdpAddresses& addresses);

/// "10.0.0.7:24001"
[[nodiscard]] std::string text_of(const sockaddr_in& address);

}  // namespace ayatori::wires
