#pragma once
/// \file
/// Datagrams over UDP and IPv4.
///
/// Datagrams to one destination that are sent before a flush() travel together: small ones share a UDP datagram, and
/// UDP datagrams of one size cross the kernel in one piece. Copies of a byte: into the train (not for large datagrams,
/// which go to the kernel from where they are), into the kernel, out of the kernel.
///
/// What is survived: no buffers (EAGAIN, ENOBUFS: no room, tried again), kernels and ways that don't segment (EIO,
/// EINVAL, EMSGSIZE: each segment is sent by itself, and fragmented by IP where the MTU has shrunk), a peer that is not
/// there yet (ECONNREFUSED, EHOSTUNREACH and so on: the datagrams are lost).

#include <memory>

#include "ayatori/pollable/pollable_wire.hpp"
#include "ayatori/udp/addresses.hpp"
#include "ayatori/udp/datagram_calls.hpp"
#include "ayatori/udp/frames.hpp"

namespace ayatori::wires {

struct UdpOptions {
  UdpAddresses addresses;
  Rank self = 0;

  /// Largest datagram: what fits the MTU of the network, less 30 bytes; 192 to 65,504 (as on a loopback).
  std::uint32_t datagram_bytes = max_framed(max_udp_payload);

  /// SO_RCVBUF. The kernel takes at most net.core.rmem_max, counts its own overhead, too, and rounds up to at least
  /// one datagram.
  std::uint32_t receive_bytes = 4 << 20;
};

struct UdpStatistics {
  std::uint64_t trains = 0;        ///< pieces given to the kernel
  std::uint64_t system_calls = 0;  ///< that sent
  std::uint64_t no_room = 0;       ///< times that the kernel had no buffers
  std::uint64_t dropped = 0;       ///< trains that the kernel refused for good
  std::uint64_t malformed = 0;     ///< received UDP datagrams that are not made of frames
  bool segmentation = true;        ///< whether trains of several segments still go as one piece
};

class UdpWire final : public PollableWire {
 public:
  /// Errors: options out of range, and the address is in use or not this host's. `calls` must outlive the wire.
  [[nodiscard]] static Result<std::unique_ptr<UdpWire>> make(const UdpOptions& options,
                                                             DatagramCalls& calls = kernel_calls());
  ~UdpWire() override;

  [[nodiscard]] std::size_t datagram_bytes() const override;
  [[nodiscard]] bool send(const transport::Datagram& datagram) override;
  void flush() override;
  std::size_t poll(std::size_t most, const std::function<void(std::span<const std::byte>)>& take) override;

  Duration prepare_to_sleep(Duration longest) override;
  void woken() override {}
  void add_descriptors(std::vector<pollfd>& polled) const override;
  void disown() override;

  [[nodiscard]] UdpStatistics statistics() const;

 private:
  struct State;
  UdpWire(Descriptor bell, std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

/// Largest datagram for a UdpWire that crosses the network between two ranks unfragmented, as the routing table has it
/// now. Error: there is no way.
[[nodiscard]] Result<std::uint32_t> datagram_bytes_between(const UdpAddresses& addresses, Rank self, Rank peer);

}  // namespace ayatori::wires
