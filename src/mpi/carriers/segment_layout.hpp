#pragma once
/// \file
/// The layout of the memory that the processes of a node share. Each process has one block of it:
///
///     Head | Info of each process | block of process 0 | block of process 1 | …
///     block: tickets | a lane to each process of the node | outbox
///
/// A *lane* is a ring of slots, from one sender to one receiver. The sender fills a slot and sets its sequence number;
/// the receiver takes slots in their order and counts those that it has taken. Both numbers are in lines of their own,
/// so that in the steady state one line travels for each small message. Payload travels in the slot if it has room;
/// more lies in the sender's *outbox*, once, however many read it, or stays in the sender's own memory, from where the
/// receiver copies it (RemoteMemory). The sender hears of the latter through a *ticket*, one word in its block.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "ayatori/base/ids.hpp"

namespace ayatori {

inline constexpr std::size_t cache_line = 64;
inline constexpr std::size_t max_cores = 1024;  ///< as many as a cpu_set_t has

enum class SlotKind : std::uint16_t {
  inlined,     ///< the payload is in the slot
  eager,       ///< it is in the sender's outbox
  rendezvous,  ///< it is in the sender's memory; the receiver answers by the ticket
  fragment,    ///< a part of a rendezvous message that the receiver could not read itself
};

/// The beginning of a slot; inline payload goes on after its first cache line, as far as SegmentShape::slot_bytes.
struct alignas(cache_line) LaneSlot {
  struct Eager {
    std::uint32_t offset;  ///< in the sender's outbox
  };
  struct Rendezvous {
    std::uint64_t address;  ///< in the sender's memory, if it is one piece
    std::uint32_t ticket;
    std::uint32_t pieces;
    std::uint32_t list;  ///< if it is several: offset of their addresses and lengths in the sender's outbox
  };
  struct Fragment {
    std::uint64_t begin;  ///< in the message
    std::uint32_t ticket;
    std::uint32_t offset;
  };
  union Body {
    std::byte inlined[40];
    Eager eager;
    Rendezvous rendezvous;
    Fragment fragment;
  };

  std::atomic<std::uint32_t> sequence;  ///< number of the message + 1, once the rest is written
  SlotKind kind;
  std::uint16_t stream;
  std::uint64_t context;
  std::uint64_t bytes;  ///< of the message, or of the fragment
  Body body;
};
static_assert(sizeof(LaneSlot) == cache_line);
static_assert(std::atomic<std::uint32_t>::is_always_lock_free && std::atomic<std::uint64_t>::is_always_lock_free);

/// A number in a cache line of its own.
struct alignas(cache_line) LonelyNumber {
  std::atomic<std::uint32_t> value;
};

/// What a receiver writes into a ticket.
inline constexpr std::uint32_t ticket_open = 0;       ///< nothing yet
inline constexpr std::uint32_t ticket_taken = 1;      ///< it has the message
inline constexpr std::uint32_t ticket_fragments = 2;  ///< it can't read the sender's memory: send fragments

struct SegmentHead {
  std::uint64_t magic;
  std::uint64_t file;  ///< inode of the memory's file: no other segment of this machine has it now
  std::uint32_t ranks;
  std::int32_t creator;                              ///< process id
  std::atomic<std::uint32_t> joined;                 ///< processes that have joined
  std::atomic<std::uint64_t> cores[max_cores / 64];  ///< those on which any of them may run
};

struct alignas(cache_line) RankInfo {
  std::atomic<std::int32_t> process;  ///< its id; 0: has not joined yet
  std::uint64_t head_address;         ///< where it has mapped the SegmentHead
};

/// Sizes by the number of ranks. A rank has at most 1 MiB, the memory that it keeps for itself included.
struct SegmentShape {
  explicit SegmentShape(Rank node_ranks);

  Rank ranks;
  std::uint32_t slots;       ///< of a lane; a power of two
  std::uint32_t slot_bytes;  ///< whole cache lines
  [[nodiscard]] std::size_t max_inline_bytes() const { return slot_bytes - offsetof(LaneSlot, body); }
  static constexpr std::uint32_t tickets = 64;           ///< rendezvous messages of one sender at a time
  static constexpr std::uint32_t small_bytes = 1 << 15;  ///< of the outbox's part for small messages, which stays in a
                                                         ///< core's own cache
  static constexpr std::uint32_t large_bytes = 6 << 16;  ///< of the part for all others

  [[nodiscard]] std::size_t lane_bytes() const { return sizeof(LonelyNumber) + std::size_t{slots} * slot_bytes; }
  [[nodiscard]] std::size_t lanes_begin() const { return tickets * sizeof(LonelyNumber); }
  [[nodiscard]] std::size_t outbox_begin() const { return lanes_begin() + ranks * lane_bytes(); }
  [[nodiscard]] std::size_t block_bytes() const;  ///< whole pages
  [[nodiscard]] std::size_t blocks_begin() const;
  [[nodiscard]] std::size_t bytes() const { return blocks_begin() + ranks * block_bytes(); }
};

/// Finds things in a mapped segment.
class SegmentView {
 public:
  SegmentView(std::byte* memory, Rank ranks)
      : memory_(memory), shape_(ranks), blocks_(memory + shape_.blocks_begin()), block_bytes_(shape_.block_bytes()) {}

  [[nodiscard]] const SegmentShape& shape() const { return shape_; }
  [[nodiscard]] SegmentHead& head() const { return *reinterpret_cast<SegmentHead*>(memory_); }
  [[nodiscard]] RankInfo& info(Rank rank) const;
  [[nodiscard]] std::atomic<std::uint32_t>& ticket(Rank owner, std::uint32_t number) const;
  /// How many messages the receiver has taken from a lane.
  [[nodiscard]] std::atomic<std::uint32_t>& taken(Rank from, Rank to) const;
  /// The slot of a lane in which message `number` travels.
  [[nodiscard]] LaneSlot& slot(Rank from, Rank to, std::uint32_t number) const {
    const std::size_t index = number & (shape_.slots - 1);
    return *reinterpret_cast<LaneSlot*>(lane(from, to) + sizeof(LonelyNumber) + index * shape_.slot_bytes);
  }
  /// The small part, followed by the large one.
  [[nodiscard]] std::byte* outbox(Rank owner) const { return block(owner) + shape_.outbox_begin(); }

 private:
  [[nodiscard]] std::byte* block(Rank rank) const { return blocks_ + rank * block_bytes_; }
  [[nodiscard]] std::byte* lane(Rank from, Rank to) const {
    return block(from) + shape_.lanes_begin() + to * shape_.lane_bytes();
  }

  std::byte* memory_;
  SegmentShape shape_;
  std::byte* blocks_;
  std::size_t block_bytes_;
};

}  // namespace ayatori
