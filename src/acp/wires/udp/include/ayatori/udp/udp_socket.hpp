#pragma once
/// \file
/// UDP sockets of IPv4 and IPv6, and the addresses of their peers.

#include <netinet/in.h>

#include <compare>
#include <span>

#include "ayatori/base/descriptor.hpp"
#include "ayatori/base/ip_address.hpp"

namespace ayatori::wires {

struct SocketAddress {
  IpAddress ip;
  std::uint16_t port = 0;

  auto operator<=>(const SocketAddress&) const = default;
};

/// "10.0.0.7:24001", "[fd00::1]:24001"
[[nodiscard]] std::string text_of(const SocketAddress& address);

/// An address as the kernel takes it. Its memory does not move.
struct KernelAddress {
  sockaddr_in6 bytes{};  // the larger one of both kinds
  socklen_t size = 0;

  [[nodiscard]] sockaddr* get() { return reinterpret_cast<sockaddr*>(&bytes); }
  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&bytes); }
};

/// `family` is that of the socket: one of IPv6 sends to IPv4 addresses, too.
[[nodiscard]] KernelAddress kernel_address(const SocketAddress& address, int family);
[[nodiscard]] SocketAddress socket_address(const KernelAddress& address);

struct UdpSocket {
  Descriptor descriptor;
  int family = AF_INET;
  std::uint16_t port = 0;
};

/// A socket that listens at these addresses of this host alone, if there is one of them, otherwise at all addresses of
/// the host. `port` 0: the kernel chooses one that no other socket has. Otherwise a socket of the same user may have
/// it, too, whose port was shared. Errors: no such address, or the port is in use (code EADDRINUSE).
[[nodiscard]] Result<UdpSocket> open_udp_socket(std::span<const IpAddress> own, std::uint16_t port = 0);

/// Lets the socket that follows this one be opened at the same port while this one is still open.
void share_port(const UdpSocket& socket);

}  // namespace ayatori::wires
