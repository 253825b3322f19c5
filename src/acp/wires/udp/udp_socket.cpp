#include "ayatori/udp/udp_socket.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace ayatori::wires {

namespace {

/// Also for IPv4, where the host has IPv6 at all.
int family_of(std::span<const IpAddress> own) {
  return std::ranges::all_of(own, [](const IpAddress& address) { return address.is_ipv4(); }) ? AF_INET : AF_INET6;
}

KernelAddress any_address(int family, std::uint16_t port) {
  KernelAddress any;
  any.bytes.sin6_family = static_cast<sa_family_t>(family);
  any.bytes.sin6_port = htons(port);  // at the same place in both kinds
  any.size = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
  return any;
}

void share_port(int socket) {
  const int on = 1;
  setsockopt(socket, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
}

}  // namespace

std::string text_of(const SocketAddress& address) {
  const std::string ip = text_of(address.ip);
  return address.ip.is_ipv4() ? fmt::format("{}:{}", ip, address.port) : fmt::format("[{}]:{}", ip, address.port);
}

KernelAddress kernel_address(const SocketAddress& address, int family) {
  KernelAddress made = any_address(family, address.port);
  if (family == AF_INET6) {
    std::memcpy(&made.bytes.sin6_addr, address.ip.bytes.data(), address.ip.bytes.size());
    return made;
  }
  sockaddr_in ipv4{};
  ipv4.sin_family = AF_INET;
  ipv4.sin_port = htons(address.port);
  std::memcpy(&ipv4.sin_addr, address.ip.bytes.data() + IpAddress::mapped.size(), sizeof ipv4.sin_addr);
  std::memcpy(&made.bytes, &ipv4, sizeof ipv4);
  return made;
}

SocketAddress socket_address(const KernelAddress& address) {
  SocketAddress found;
  if (address.bytes.sin6_family == AF_INET6) {
    found.port = ntohs(address.bytes.sin6_port);
    std::memcpy(found.ip.bytes.data(), &address.bytes.sin6_addr, found.ip.bytes.size());
    return found;
  }
  sockaddr_in ipv4{};
  std::memcpy(&ipv4, &address.bytes, sizeof ipv4);
  found.port = ntohs(ipv4.sin_port);
  found.ip = IpAddress(ntohl(ipv4.sin_addr.s_addr));
  return found;
}

Result<UdpSocket> open_udp_socket(std::span<const IpAddress> own, std::uint16_t port) {
  const int family = family_of(own);
  UdpSocket made{Descriptor(socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)), family, 0};
  if (!made.descriptor.is_open()) return refused("no UDP socket can be made", errno);
  const int number = made.descriptor.number();
  const int off = 0;
  if (family == AF_INET6) setsockopt(number, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  // Without a port, the kernel would choose among those that other shared sockets of the user have, too.
  if (port != 0) share_port(number);
  KernelAddress address = own.size() == 1 ? kernel_address({own[0], port}, family) : any_address(family, port);
  if (bind(number, address.get(), address.size) != 0) {
    return refused(fmt::format("this process can't have the address {}", text_of(socket_address(address))), errno);
  }
  if (getsockname(number, address.get(), &address.size) != 0) return refused("a socket has no address", errno);
  made.port = socket_address(address).port;
  return made;
}

void share_port(const UdpSocket& socket) { share_port(socket.descriptor.number()); }

}  // namespace ayatori::wires
