#pragma once
/// \file
/// What carries datagrams between the ranks of a job: UDP, shared memory, verbs (src/acp/wires), and what drives
/// an Endpoint over it.
///
/// A wire may lose, duplicate, reorder and delay datagrams; it must not alter them. Not thread-safe: one wire, one
/// thread at a time.

#include <cstddef>
#include <functional>
#include <span>

#include "ayatori/transport/endpoint.hpp"

namespace ayatori::transport {

class Rdma;

class Wire {
 public:
  virtual ~Wire() = default;

  /// Largest datagram it takes, headers of the transport included.
  [[nodiscard]] virtual std::size_t datagram_bytes() const = 0;

  /// Whether what it takes for this peer arrives, once and in order, unless the peer ends before
  /// (docs/decisions/0103-express-packets.md). Only such peers are sent express datagrams.
  [[nodiscard]] virtual bool lossless(PeerId) const { return false; }

  /// What its adapter does without the peers' processes; nullptr if there is nothing of that. It lives as long as the
  /// wire.
  [[nodiscard]] virtual Rdma* rdma() { return nullptr; }

  /// Takes a datagram, whose memory is the caller's again on return; the wire may keep a copy until flush(). False, and
  /// nothing happens, if there is no room now: try again after poll() or wait(). Where another datagram would be
  /// dropped, an express one is refused; the wire may still have room for other peers.
  [[nodiscard]] virtual bool send(const Datagram& datagram) = 0;

  /// Hands over what send() gathered.
  virtual void flush() = 0;

  /// Calls `take` for datagrams that have arrived, at most `max_datagrams` of them; returns how many: 0 only if none is
  /// here that came more than a few microseconds ago (CombinedWire does not ask a slow wire more often). Never waits.
  virtual std::size_t poll(std::size_t max_datagrams, const std::function<void(std::span<const std::byte>)>& take) = 0;

  /// Sleeps until a datagram may be there, one that was refused may find room, or `timeout` has passed. It may return
  /// for no reason.
  virtual void wait(Duration timeout) = 0;
};

}  // namespace ayatori::transport
