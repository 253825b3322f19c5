#pragma once
/// \file
/// The system calls that move datagrams, none of which waits. Tests put others in their place, which fail as a kernel
/// may.

#include <sys/socket.h>

#include <cstddef>
#include <span>

namespace ayatori::wires {

class DatagramCalls {
 public:
  virtual ~DatagramCalls() = default;
  /// As sendmmsg(2): how many went, or -1 and errno. `messages` is not empty.
  virtual int send(int socket, std::span<mmsghdr> messages);
  /// As recv(2): the datagram's size, or -1 and errno.
  virtual ssize_t receive(int socket, std::span<std::byte> memory);
};

/// Those of the kernel.
[[nodiscard]] DatagramCalls& kernel_calls();

}  // namespace ayatori::wires
