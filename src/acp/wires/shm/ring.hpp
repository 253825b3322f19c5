#pragma once
/// \file
/// A receiver's ring of datagrams in shared memory: any number of senders, one receiver, no locks.
///
///     Head | stack of free buffers | cells of 256 bytes, in a ring | buffers of one datagram each, in no order
///
/// A sender takes the next number, and with it a cell. It writes a small datagram into the cell, or a large one into a
/// free buffer whose number it writes into the cell, and marks the cell as ready. The receiver takes ready cells in
/// order and reads each datagram where it lies. So a datagram is copied once, and a small one takes no buffer.
///
/// A full ring drops datagrams, as any network does: the transport sends again. The last eighth of the cells is
/// reserved for control packets (paper 5, section 4.2).
///
/// A sender may be stopped or killed while it writes. The receiver gives up such a cell with skip_unfinished() and goes
/// on after it; the cell is used again once the sender has seen that. A killed sender costs one cell and one buffer at
/// most.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "ayatori/base/error.hpp"
#include "ayatori/transport/endpoint.hpp"

namespace ayatori::wires {

inline constexpr std::size_t cache_line = 64;

struct RingShape {
  std::uint32_t cells = 512;           ///< a power of two, 16 to 2^20
  std::uint32_t buffers = 128;         ///< 1 to 2^16
  std::uint32_t buffer_bytes = 8'192;  ///< 256 to 2^20, a multiple of 64

  bool operator==(const RingShape&) const = default;
};

[[nodiscard]] Result<> check(const RingShape& shape);

/// One process's view of a ring. Several views may share the memory; only one of them, in one thread, receives.
class Ring {
 public:
  [[nodiscard]] static std::size_t bytes(const RingShape& shape);

  /// Makes an empty ring. `memory` is zeroed, aligned to a cache line and has bytes(shape).
  static Ring make(std::span<std::byte> memory, const RingShape& shape, std::uint64_t key, std::uint32_t owner);

  /// Error: the memory is not a ring of that owner, or not all of it.
  [[nodiscard]] static Result<Ring> open(std::span<std::byte> memory, std::uint64_t key, std::uint32_t owner);

  [[nodiscard]] const RingShape& shape() const { return shape_; }

  // ---- Senders

  /// Room for one datagram, from begin() to finish().
  struct Slot {
    std::uint64_t number;  ///< of the cell
    std::uint32_t buffer;
    std::byte* memory;
  };

  /// Nothing if there is no room, or the datagram is larger than a buffer.
  [[nodiscard]] std::optional<Slot> begin(std::size_t size, bool control);

  /// Hands over what was written to slot.memory. False if the receiver has given up the cell meanwhile.
  [[nodiscard]] bool finish(const Slot& slot);

  /// begin(), the copy, and finish(). False if the datagram was dropped.
  [[nodiscard]] bool put(const transport::Datagram& datagram);

  /// After put(): whether the receiver is asleep and it is this caller's task to wake it.
  [[nodiscard]] bool must_wake();

  /// Whether the receiver has ended, and nothing will ever be taken from here.
  [[nodiscard]] bool closed() const;

  // ---- The receiver

  /// The next datagram, which stays until done(); nothing if none is ready.
  [[nodiscard]] std::optional<std::span<const std::byte>> next();
  void done();

  /// From now on must_wake() is true once. False if something is here already.
  [[nodiscard]] bool fall_asleep();
  void wake_up();
  void close();

  /// Whether the next cell was taken by a sender that has not finished it.
  [[nodiscard]] bool unfinished() const;
  /// Gives up that cell: the datagram that is being written there is lost.
  void skip_unfinished();

  [[nodiscard]] std::uint64_t malformed() const { return malformed_; }  ///< cells with impossible contents, dropped

 private:
  struct Head;
  struct Cell;

  Ring(std::span<std::byte> memory, const RingShape& shape);

  std::optional<std::uint64_t> take_number(bool control);
  void pass();
  std::uint32_t pop_buffer();
  void push_buffer(std::uint32_t buffer);
  [[nodiscard]] std::byte* buffer_at(std::uint32_t number) const;
  [[nodiscard]] Cell& cell(std::uint64_t number) const;

  RingShape shape_;
  Head* head_;
  std::atomic<std::uint32_t>* below_;  // of each free buffer in the stack
  Cell* cells_;
  std::byte* buffers_;
  std::uint64_t known_head_ = 0;    // senders: how far the receiver was when they last read it
  std::uint64_t next_ = 0;          // the receiver: number of the next cell
  std::uint32_t taken_buffer_ = 0;  // of the datagram that next() gave; a copy, as others can overwrite the cell
  std::uint64_t malformed_ = 0;
};

}  // namespace ayatori::wires
