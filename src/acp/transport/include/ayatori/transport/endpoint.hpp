#pragma once
/// \file
/// Reliable messages over datagrams that may be lost, duplicated, reordered and
/// delayed, in memory that does not grow with the number of peers.
///
///     wire ── receive(now, datagram) ──▶ Endpoint ── deliver(from, message) ──▶ Application
///     wire ◀── next_packet(now) ──────── Endpoint ◀── send(now, to, message) ── Application
///     clock ── advance(now) ───────────▶ Endpoint ── next_deadline() ──▶ clock
///
/// The endpoint does no I/O and reads no clock. A program drives it: it passes arriving datagrams to receive(), sends
/// the datagrams of next_packet() until there is none, and calls advance() no later than next_deadline().
///
/// Guarantees, between two endpoints neither of which reports the other as lost:
///   - every message is delivered once, its bytes as sent; an ordered message after all messages sent before it to that
///     peer, an unordered one when it is complete;
///   - every call is carried out once and returns its result once;
///   - this holds for whatever the network drops, duplicates, delays (for any time) or reorders, and whichever contexts
///     were given up meanwhile (docs/decisions/0100-evicting-contexts.md).
/// The endpoint does not notice bytes that the network alters: wires whose checksums are too weak must add their own.
///
/// Memory is fixed by Options, and taken at construction and with the first put or get; the memory of messages is the
/// application's. Not thread-safe: one endpoint, one thread at a time; different endpoints share nothing.

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "ayatori/base/error.hpp"
#include "ayatori/transport/application.hpp"
#include "ayatori/transport/options.hpp"
#include "ayatori/transport/packet.hpp"
#include "ayatori/transport/time.hpp"

namespace ayatori::transport {

class Observer;

/// A datagram to send: the header, then the payload.
struct Datagram {
  PeerId to = 0;
  bool control = false;                ///< see is_control()
  std::span<const std::byte> header;   ///< valid until the next call of next_packet()
  std::span<const std::byte> payload;  ///< of messages; valid until the endpoint is called again
  bool express = false;                ///< from next_express()
};

/// Where a range of a peer's memory starts, see RemoteRange.
struct RemoteAddress {
  std::uint64_t key = 0;
  std::uint64_t offset = 0;
};

enum class Order : std::uint8_t { ordered, unordered };

struct Identity {
  PeerId self = 0;
  JobKey key = 0;
  std::uint64_t seed = 0;  ///< of the jitter; different in each process
  Epoch floor = 0;         ///< 0, or the retire() of the endpoint that had this rank before
  PeerId procs = no_id;    ///< packets of this rank and higher ones are those of strangers
};

/// One process of the transport. Not thread-safe.
class Endpoint {
 public:
  /// Error: options out of range. `application` must outlive the endpoint.
  [[nodiscard]] static Result<Endpoint> make(const Identity& identity, const Options& options,
                                             Application& application);

  Endpoint(Endpoint&&) noexcept;
  Endpoint& operator=(Endpoint&&) noexcept;

  /// Hands back reserved memory through Application::release(). Peers and observers are not notified.
  ~Endpoint();

  /// Lets messages travel express (docs/decisions/0103-express-packets.md) to the peers for which `lossless` returns
  /// true; see Wire::lossless(). It is called whenever a flow is opened. Before this call nothing travels express.
  void use_express(std::function<bool(PeerId)> lossless);

  /// Lets an observer see all decisions from now on (observer.hpp); nullptr: none. It must outlive the endpoint, or be
  /// replaced.
  void observe(Observer* observer);

  /// Queues a message, of any size from 0. Short ones that wait for a packet share it. Its memory stays the caller's
  /// and must not change until acknowledged(token) or failed(token). False, and nothing happens, if all message slots
  /// or all outgoing contexts are busy: try again after Application::room().
  [[nodiscard]] bool send(Time now, PeerId to, std::span<const std::byte> message, Token token,
                          Order order = Order::ordered);

  /// Queues a call: the peer's Application::operate(request) runs exactly once, then returned(token, result) comes
  /// here; or failed(token). The request, at most max_operation_bytes, is copied. False as for send(), or if it is too
  /// large.
  [[nodiscard]] bool call(Time now, PeerId to, std::span<const std::byte> request, Token token);

  /// Sends a message of at most max_operation_bytes once, unreliably: it may be lost, duplicated or delayed, without a
  /// report. The peer's Application::deliver() is called for each copy that arrives. The message is copied.
  /// False, and nothing happens, if it is too large, or if too many wait to be sent: try again after some
  /// next_packet().
  [[nodiscard]] bool notify(Time now, PeerId to, std::span<const std::byte> message);

  /// Writes into a peer's memory, or reads it: the peer's Application::write() or read() is called, piece by piece in
  /// any order; then completed(token) or refused(token) comes here, or failed(token) if the peer is lost. Neither needs
  /// a context at the peer, and neither is ordered with messages or with each other. A put may write the same bytes
  /// more than once until it is completed, never later: for memory that the peer itself changes when it sees it written
  /// (a flag), use call(). The memory stays the caller's; of a put it must not change, of a get not be read, until the
  /// end. False, and nothing happens, if all operations or all targets are busy (try again after room()), or if there
  /// is nothing to move.
  [[nodiscard]] bool put(Time now, PeerId to, RemoteAddress at, std::span<const std::byte> bytes, Token token);
  [[nodiscard]] bool get(Time now, PeerId from, RemoteAddress at, std::span<std::byte> into, Token token);

  /// Takes the memory at once that would be taken with the first put or get.
  void take_all_memory();

  /// Takes in a datagram; the caller may reuse its memory afterwards. A datagram that is not a packet of this job for
  /// this rank only changes a counter.
  void receive(Time now, std::span<const std::byte> datagram);

  /// The next datagram to send, data first, so that acknowledgements travel with it where they can.
  [[nodiscard]] std::optional<Datagram> next_packet(Time now);

  /// The next datagram of those that travel express, which depend on no time; always to be followed by
  /// settle_express(), which says whether the wire took it. The messages of a packet that it took are acknowledged(); a
  /// packet that it refused is given again a little later, and by next_packet() if the wire goes on refusing.
  [[nodiscard]] std::optional<Datagram> next_express();
  void settle_express(Time now, bool taken);

  /// Whether next_packet() may give more than acknowledgements. Acknowledgements alone can wait a moment for data that
  /// they can travel with.
  [[nodiscard]] bool ready() const;

  /// Does what is due. At most Retransmission::resends_per_call flows time out in one call; the others are due again at
  /// once. Hand in what has arrived first: a process that was stopped for a while would take its own absence for its
  /// peers'.
  void advance(Time now);
  [[nodiscard]] Time next_deadline() const;

  /// Closes the flows that have nothing under way, which would otherwise happen after Options::close_after, and asks
  /// the peers to close theirs.
  void close_idle(Time now);

  /// Whether the endpoint may be destroyed, or retired, without harm to its peers: no flow is open in either direction,
  /// no packet waits to be sent, and no reply is still to come.
  [[nodiscard]] bool fully_closed() const;

  /// All that must be remembered of a closed endpoint, in 8 bytes: give it as Identity::floor to the endpoint that
  /// takes over its rank.
  [[nodiscard]] Epoch retire(Time now);

  [[nodiscard]] const Statistics& statistics() const;
  [[nodiscard]] std::uint32_t outgoing_contexts() const;  ///< open now
  [[nodiscard]] std::uint32_t incoming_contexts() const;
  [[nodiscard]] std::uint32_t total_credit()
      const;  ///< packets that admission lets peers have in flight (decision 102)

 private:
  struct State;
  explicit Endpoint(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace ayatori::transport
