#pragma once
/// \file
/// What an adapter does with the memory of peers without their processes: RDMA read, RDMA write, and atomics on 8
/// bytes, over reliable connections (RC; InfiniBand Architecture Specification 1.2, section 9.7). A Wire over such an
/// adapter offers it in addition to its datagrams. Everything else is the datagrams': the two ends of a connection, and
/// the keys of memory, are exchanged by calls when they are first needed (paper 5, section 3).
///
/// A connection has a direction: the process that opens it reaches the memory of the one that accepts it. It outlives
/// silence of any length: what is under way is sent again, and carried out once, until it is answered or the connection
/// is closed; except reads, which can be begun anew. Not thread-safe, and of the wire's thread.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ayatori/transport/application.hpp"

namespace ayatori::transport {

/// What one end of a connection has to know of the other one, in addition to its address.
struct RdmaEnd {
  std::uint32_t queue = 0;         ///< number of the queue pair, 24 bits
  std::uint32_t first_packet = 0;  ///< number of the first packet that it sends, 24 bits
  std::uint8_t mtu = 0;            ///< the largest that it can have, as verbs number them
  std::uint8_t reads = 0;          ///< reads and atomics that it answers at a time

  bool operator==(const RdmaEnd&) const = default;
};

/// By which the adapter of this process, and those of peers, use registered memory.
struct RdmaKeys {
  std::uint32_t local = 0;
  std::uint32_t remote = 0;
};

struct RdmaRequest {
  enum class Kind : std::uint8_t { read, write, add, compare_swap };
  Kind kind = Kind::read;
  std::span<std::byte> local{};  ///< of read and write; at least 1 byte, at most Rdma::max_bytes
  std::uint32_t local_key = 0;
  std::uint64_t remote = 0;  ///< address in the peer; of atomics a multiple of 8
  std::uint32_t remote_key = 0;
  std::uint64_t operand = 0;   ///< what is added, or the new value
  std::uint64_t expected = 0;  ///< of compare_swap
  Token token = 0;
};

struct RdmaCompletion {
  enum class Outcome : std::uint8_t {
    done,
    refused,     ///< not carried out, nor is anything after it: the peer's memory has not this key. To be closed
    unanswered,  ///< a read, after long silence; nothing but reads after it was carried out. To be closed
    broken,      ///< whether it was carried out is not known: the adapter failed. To be closed
  };
  PeerId peer = 0;
  Token token = 0;
  Outcome outcome = Outcome::done;
  std::uint64_t value = 0;  ///< of atomics: the one from before
};

class Rdma {
 public:
  static constexpr Bytes max_bytes = Bytes{1} << 30;  ///< of one read or write

  virtual ~Rdma() = default;

  /// To be called once, before connections are opened: takes room for so many. False: the adapter refused.
  [[nodiscard]] virtual bool make_room(std::uint32_t connections) = 0;

  /// With respect to what its atomics are atomic, apart from each other: nothing, or the instructions of the processor,
  /// too (IBV_ATOMIC_GLOB). Known after make_room().
  enum class Atomics : std::uint8_t { none, among_themselves, with_processor };
  [[nodiscard]] virtual Atomics atomics() const = 0;

  // ---- Memory

  /// Registers memory, which stays the caller's; it must not be unmapped before remove_memory(). Nothing: refused, by a
  /// limit of the adapter or of the memory that may be locked.
  [[nodiscard]] virtual std::optional<RdmaKeys> add_memory(std::span<std::byte> memory) = 0;
  virtual void remove_memory(const RdmaKeys& keys) = 0;

  // ---- Connections

  /// Makes an end by which this process is to reach a peer. Nothing: the adapter refused, or the peer's address is not
  /// known yet. The next call is connect() or close().
  [[nodiscard]] virtual std::optional<RdmaEnd> open(PeerId peer) = 0;
  /// Begins with the other end; false: the adapter refused.
  [[nodiscard]] virtual bool connect(PeerId peer, const RdmaEnd& other) = 0;
  /// Makes the other end of a connection that a peer opens, instead of the one that it had opened before.
  [[nodiscard]] virtual std::optional<RdmaEnd> accept(PeerId peer, const RdmaEnd& other) = 0;

  /// Ends what was opened to a peer; returns the tokens of what was under way, in order.
  virtual std::vector<Token> close(PeerId peer) = 0;
  /// Ends what a peer had opened.
  virtual void forget(PeerId peer) = 0;

  // ---- Operations

  /// Starts an operation over a connection. Operations are carried out in order, but a read that has to be repeated may
  /// see what those after it have written. At most as many wait as the caller starts.
  virtual void start(PeerId peer, const RdmaRequest& request) = 0;
  [[nodiscard]] virtual std::optional<RdmaCompletion> poll() = 0;

  /// Compares and swaps 8 bytes of this process, as the adapter does it for peers; waits for it, some microseconds.
  /// Returns the value from before. Nothing: the adapter failed.
  [[nodiscard]] virtual std::optional<std::uint64_t> compare_swap_here(std::byte* word, const RdmaKeys& keys,
                                                                       std::uint64_t expected,
                                                                       std::uint64_t desired) = 0;
};

}  // namespace ayatori::transport
