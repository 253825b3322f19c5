#include "ayatori/base/ip_address.hpp"

#include <arpa/inet.h>

namespace ayatori {

IpAddress::IpAddress(std::uint32_t ipv4) {
  std::ranges::copy(mapped, bytes.begin());
  for (std::size_t i = mapped.size(); i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::uint8_t>(ipv4 >> 8U * (bytes.size() - 1 - i));
  }
}

std::string text_of(const IpAddress& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  inet_ntop(address.is_ipv4() ? AF_INET : AF_INET6, address.sent().data(), text.data(), text.size());
  return text.data();
}

std::optional<IpAddress> parse_ip_address(std::string_view text) {
  const std::string whole(text);
  if (whole.find('\0') != std::string::npos) return std::nullopt;
  in_addr ipv4{};
  if (inet_pton(AF_INET, whole.c_str(), &ipv4) == 1) return IpAddress(ntohl(ipv4.s_addr));
  IpAddress address;
  if (inet_pton(AF_INET6, whole.c_str(), address.bytes.data()) == 1) return address;
  return std::nullopt;
}

}  // namespace ayatori
