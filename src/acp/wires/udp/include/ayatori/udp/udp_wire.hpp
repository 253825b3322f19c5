#pragma once
/// \file
/// Datagrams over UDP and IPv4.
///
/// Datagrams to one destination that are sent before a flush() travel together: small ones share a UDP datagram, and
/// UDP datagrams of one size are GSO segments of one send (frames.hpp). A byte is copied into the train (unless its
/// datagram is large: that is sent from where it is), into the kernel, and out of the kernel.
///
/// Errors of the kernel are handled here. No buffers (EAGAIN, ENOBUFS): there is no room, and the wire tries again. A
/// kernel, device or route that can't segment (EIO, EINVAL, EMSGSIZE): each GSO segment is sent by itself, and IP
/// fragments it if the MTU has become smaller. A peer that is not there yet (ECONNREFUSED, EHOSTUNREACH and so on): the
/// datagrams are lost.

#include <memory>

#include "ayatori/pollable/pollable_wire.hpp"
#include "ayatori/udp/addresses.hpp"
#include "ayatori/udp/datagram_calls.hpp"
#include "ayatori/udp/frames.hpp"

namespace ayatori::wires {

struct UdpOptions {
  UdpAddresses addresses;
  Rank self = 0;

  /// Largest datagram: the MTU of the network less 30 bytes; 192 to 65,504 (on a loopback).
  std::uint32_t datagram_bytes = max_framed(max_udp_payload);

  /// SO_RCVBUF. The kernel limits it to net.core.rmem_max, counts its own overhead against it, and rounds it up to at
  /// least one datagram.
  std::uint32_t receive_bytes = 4 << 20;
};

struct UdpStatistics {
  std::uint64_t trains = 0;        ///< pieces given to the kernel
  std::uint64_t system_calls = 0;  ///< that sent
  std::uint64_t no_room = 0;       ///< times that the kernel had no buffers
  std::uint64_t dropped = 0;       ///< trains that the kernel refused for good
  std::uint64_t malformed = 0;     ///< received UDP datagrams that are not made of frames
  bool segmentation = true;        ///< whether trains of several GSO segments are still sent as one piece
};

class UdpWire final : public PollableWire {
 public:
  /// `calls` must outlive the wire. Errors: options out of range; the address is in use (code EADDRINUSE) or does not
  /// belong to this host.
  [[nodiscard]] static Result<std::unique_ptr<UdpWire>> make(const UdpOptions& options,
                                                             DatagramCalls& calls = kernel_calls());
  ~UdpWire() override;

  /// Bytes that a wire takes in its process. What has arrived and waits is the kernel's, at most
  /// UdpOptions::receive_bytes.
  [[nodiscard]] static Bytes memory_bytes(const UdpOptions& options);

  [[nodiscard]] std::size_t datagram_bytes() const override;
  [[nodiscard]] bool send(const transport::Datagram& datagram) override;
  void flush() override;
  std::size_t poll(std::size_t max_datagrams, const std::function<void(std::span<const std::byte>)>& take) override;

  Duration prepare_to_sleep(Duration timeout) override;
  void woken() override {}
  void add_descriptors(std::vector<pollfd>& polled) const override;
  void disown() override;

  [[nodiscard]] UdpStatistics statistics() const;

 private:
  struct State;
  explicit UdpWire(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

/// The largest datagram_bytes for which a UdpWire's datagrams cross the network between two ranks without
/// fragmentation, by the routing table of this moment. Error: there is no route.
[[nodiscard]] Result<std::uint32_t> datagram_bytes_between(const UdpAddresses& addresses, Rank self, Rank peer);

}  // namespace ayatori::wires
