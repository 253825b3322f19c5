#include "ayatori/udp/addresses.hpp"

#include <arpa/inet.h>

namespace ayatori::wires {

sockaddr_in UdpAddresses::of(Rank rank) const {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(first_host + rank / ranks_per_host);
  address.sin_port = htons(static_cast<std::uint16_t>(first_port + rank % ranks_per_host));
  return address;
}

Result<> check(const UdpAddresses& addresses) {
  const std::uint32_t ports = 65'536U - addresses.first_port;
  if (addresses.ranks_per_host >= 1 && addresses.ranks_per_host <= ports) return {};
  return fail("{} ranks a host; from port {} on it must be 1 to {}", addresses.ranks_per_host, addresses.first_port,
              ports);
}

std::string text_of(const sockaddr_in& address) {
  char text[INET_ADDRSTRLEN] = {};
  inet_ntop(AF_INET, &address.sin_addr, text, sizeof text);
  return fmt::format("{}:{}", text, ntohs(address.sin_port));
}

}  // namespace ayatori::wires
