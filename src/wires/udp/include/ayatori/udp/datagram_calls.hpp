#pragma once
/// \file
/// The two system calls that move datagrams. Tests put others in their place, which fail as a kernel may.

#include <sys/socket.h>

#include <span>

namespace ayatori::wires {

class DatagramCalls {
 public:
  virtual ~DatagramCalls() = default;
  /// As sendmmsg(2) and recvmmsg(2), without waiting: how many, or -1 and errno.
  virtual int send(int socket, std::span<mmsghdr> messages);
  virtual int receive(int socket, std::span<mmsghdr> messages);
};

/// Those of the kernel.
[[nodiscard]] DatagramCalls& kernel_calls();

}  // namespace ayatori::wires
