#pragma once
/// \file
/// Datagrams over UDP, by IPv4 and IPv6.
///
/// Datagrams to one destination that are sent before a flush() travel together: small ones share a UDP datagram, and
/// UDP datagrams of one size are GSO segments of one send (frames.hpp). A byte is copied into the train (unless its
/// datagram is large: that is sent from where it is), into the kernel, and out of the kernel.
///
/// Errors of the kernel are handled here. No buffers (EAGAIN, ENOBUFS): there is no room, and the wire tries again. A
/// kernel, device or route that can't segment (EIO, EINVAL, EMSGSIZE): each GSO segment is sent by itself, and IP
/// fragments it if the MTU has become smaller. A peer that is not there yet (ECONNREFUSED, EHOSTUNREACH and so on): the
/// datagrams are lost.
///
/// The wire knows no addresses: UdpPeers finds them. Datagrams to a peer whose address is not known yet wait for it,
/// for a while.

#include <functional>
#include <memory>
#include <optional>

#include "ayatori/driver/clock.hpp"
#include "ayatori/pollable/pollable_wire.hpp"
#include "ayatori/udp/datagram_calls.hpp"
#include "ayatori/udp/frames.hpp"
#include "ayatori/udp/udp_socket.hpp"

namespace ayatori::wires {

struct UdpPeers {
  /// Where a rank receives. Nothing if that is not known: whoever is asked finds out, and is asked again.
  std::function<std::optional<SocketAddress>(Rank)> find;
  /// Whether a datagram from there is read at all. Empty: all are.
  std::function<bool(const SocketAddress& source, std::span<const std::byte> datagram)> admits;
};

struct UdpOptions {
  /// Largest datagram: the MTU of the network less 30 bytes, over IPv6 less 50; 192 to 65,504 (on a loopback).
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
  std::uint64_t strangers = 0;     ///< received datagrams that UdpPeers did not admit
  std::uint64_t unreachable = 0;   ///< trains and large datagrams to peers whose address was not found in time
  bool segmentation = true;        ///< whether trains of several GSO segments are still sent as one piece
};

class UdpWire final : public PollableWire {
 public:
  /// `clock` and `calls` must outlive the wire. Errors: options out of range.
  [[nodiscard]] static Result<std::unique_ptr<UdpWire>> make(const UdpOptions& options, UdpSocket socket,
                                                             UdpPeers peers, Clock& clock = steady_clock(),
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

}  // namespace ayatori::wires
