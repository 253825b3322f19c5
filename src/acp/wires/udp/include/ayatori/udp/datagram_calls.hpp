#pragma once
/// \file
/// The system calls that send and receive datagrams; none of them waits. Tests replace them by calls that fail as those
/// of a kernel may.

#include <sys/socket.h>

#include <cstddef>
#include <span>

#include "ayatori/udp/udp_socket.hpp"

namespace ayatori::wires {

class DatagramCalls {
 public:
  virtual ~DatagramCalls() = default;
  /// As sendmmsg(2): how many went, or -1 and errno. `messages` is not empty.
  virtual int send(int socket, std::span<mmsghdr> messages);
  /// As recvfrom(2): the datagram's size and its source, or -1 and errno.
  virtual ssize_t receive(int socket, std::span<std::byte> memory, KernelAddress& source);
};

/// The real ones.
[[nodiscard]] DatagramCalls& kernel_calls();

}  // namespace ayatori::wires
