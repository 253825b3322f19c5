#include "ayatori/udp/datagram_calls.hpp"

namespace ayatori::wires {

DatagramCalls& kernel_calls() {
  static DatagramCalls calls;
  return calls;
}

int DatagramCalls::send(int socket, std::span<mmsghdr> messages) {
  const msghdr& first = messages[0].msg_hdr;
  if (messages.size() > 1 || first.msg_iovlen > 1 || first.msg_control) {
    return sendmmsg(socket, messages.data(), static_cast<unsigned>(messages.size()), MSG_DONTWAIT);
  }
  // The plainest call for the plainest case, which is that of a single small message: it is faster by what the kernel
  // need not copy in.
  const auto* to = static_cast<const sockaddr*>(first.msg_name);
  return sendto(socket, first.msg_iov->iov_base, first.msg_iov->iov_len, MSG_DONTWAIT, to, first.msg_namelen) < 0 ? -1
                                                                                                                  : 1;
}

ssize_t DatagramCalls::receive(int socket, std::span<std::byte> memory, KernelAddress& source) {
  source.size = sizeof source.bytes;
  return recvfrom(socket, memory.data(), memory.size(), MSG_DONTWAIT, source.get(), &source.size);
}

}  // namespace ayatori::wires
