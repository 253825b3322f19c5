#pragma once
/// \file
/// The calls of an endpoint to the layer above it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "ayatori/transport/packet.hpp"
#include "ayatori/transport/time.hpp"

namespace ayatori::transport {

/// Names a message of the layer above; the transport only hands it back.
using Token = std::uint64_t;

struct OperationResult {
  std::array<std::byte, max_operation_bytes> bytes{};
  std::size_t size = 0;
};

enum class Urgency : std::uint8_t {
  in_sequence,  ///< all messages before it are here: later ones wait for it
  early,        ///< a message before it is missing, which it waits for
};

/// Implemented by the layer above. Calls come from within Endpoint::receive(), advance() and settle_express(), on their
/// thread, and may call Endpoint::send() and call(), but none of these nor what gives packets; reserve() may call
/// nothing.
class Application {
 public:
  virtual ~Application() = default;

  /// Memory for a message that comes in several packets or out of order, or for several short messages that came in
  /// one packet out of order. It is handed back by exactly one deliver() or release(). nullptr means that there is
  /// no room now; the sender tries again later. `size`, in bytes, is what the peer says: refuse what is too much. If
  /// memory is bounded, keep some of it from early messages, so that those in sequence find some in the end.
  virtual std::byte* reserve(PeerId from, Bytes size, Urgency urgency) = 0;

  /// A message is here. `reserved` is its memory from reserve(), now the application's again; if it is nullptr, the
  /// message is only there until the call returns.
  virtual void deliver(PeerId from, std::span<const std::byte> message, std::byte* reserved) = 0;

  /// Memory from reserve() that the transport needs no longer.
  virtual void release(std::byte* reserved) = 0;

  /// The message was delivered; its memory is the application's again. On a lossless wire the message may still lie in
  /// the peer's queue: then it is delivered, or the peer ends and is reported as lost().
  virtual void acknowledged(Token) {}

  /// A send() or call() that was refused may succeed now.
  virtual void room() {}

  /// The peer of this message, call, put or get is lost. Whether it was delivered or carried out is not known. Its
  /// memory is the application's again.
  virtual void failed(Token) {}

  /// The peer is gone for good: nothing was heard of it since `since`. Its messages were reported as failed before
  /// this, and everything that was held for it is freed.
  virtual void lost(PeerId, [[maybe_unused]] Time since) {}

  /// Carries out an operation that a peer called for, for example an atomic on local memory. Runs exactly once for each
  /// call, in the order of its flow's ordered messages.
  virtual OperationResult operate(PeerId, std::span<const std::byte> /*request*/) { return {}; }

  /// The result of a call.
  virtual void returned(Token, std::span<const std::byte> /*result*/) {}

  /// Writes into memory that a peer named. False if there is no such memory, or if the peer may not write it. Called
  /// from receive(), at least once for each chunk of a put that is under way, and never after the peer was notified
  /// that the put is completed (docs/decisions/0101-puts-and-gets.md). May call nothing.
  virtual bool write(PeerId, const RemoteRange&, std::span<const std::byte> /*bytes*/) { return false; }

  /// The contents of the whole range that a peer named; they must stay until the endpoint is called again. Nothing if
  /// there is no such memory, or if the peer may not read it. Called from next_packet(). May call nothing.
  virtual std::optional<std::span<const std::byte>> read(PeerId, const RemoteRange&) { return std::nullopt; }

  /// A put is carried out, or the bytes of a get are here; its memory is the application's again.
  virtual void completed(Token) {}

  /// The peer's application refused the put or get; some of it may have been carried out.
  virtual void refused(Token) {}
};

struct Statistics {
  std::uint64_t data_packets = 0;     ///< sent, first copies
  std::uint64_t express_packets = 0;  ///< of these, express
  std::uint64_t retransmissions = 0;  ///< sent, further copies
  std::uint64_t control_packets = 0;  ///< sent
  std::uint64_t asks = 0;             ///< of these, asks
  std::uint64_t received = 0;         ///< datagrams taken in
  std::uint64_t delivered = 0;        ///< messages, calls and replies
  std::uint64_t duplicates = 0;       ///< data packets dropped that were here already
  std::uint64_t stale = 0;            ///< packets of a flow that was closed or renewed
  std::uint64_t strangers = 0;        ///< datagrams with another job's key, or for another rank
  std::uint64_t malformed = 0;
  std::uint64_t no_room = 0;   ///< data packets dropped because memory or a context was missing
  std::uint64_t renewals = 0;  ///< flows that had to be opened again under a higher epoch
  std::uint64_t closed = 0;    ///< incoming contexts given back by their sender
  std::uint64_t lost_peers = 0;
  std::uint64_t operation_packets = 0;  ///< of puts and gets, sent, first copies …
  std::uint64_t operations_again = 0;   ///< … and further copies
  std::uint64_t stale_puts = 0;         ///< packets of puts refused here because a later one was here first
};

}  // namespace ayatori::transport
