#pragma once
/// \file
/// Bookkeeping in fixed space: a table of contexts by peer, queues of their
/// numbers, and the times at which they want attention. All memory is taken at
/// construction; no call allocates. Not thread-safe.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "ayatori/base/ids.hpp"
#include "ayatori/transport/time.hpp"

namespace ayatori::transport {

/// A peer may have two flows at a time: replies travel in a lane of their own, past calls that wait for room.
enum class Lane : std::uint8_t { messages, replies };

/// Names a peer's lane.
struct FlowKey {
  Rank peer = 0;
  Lane lane = Lane::messages;

  bool operator==(const FlowKey&) const = default;
  [[nodiscard]] std::size_t hash() const { return std::size_t{peer} << 1 | static_cast<std::size_t>(lane); }
};

/// The number of a context in its table, stable while the context lives.
using ContextId = std::uint32_t;

/// At most `capacity` contexts, at most one a key. Find, insert and erase in constant expected time.
template <typename Context>
class ContextTable {
 public:
  explicit ContextTable(std::uint32_t capacity)
      : slots_(capacity), buckets_(std::bit_ceil(std::size_t{capacity} + 1), no_id) {
    for (ContextId id = 0; id < capacity; ++id) slots_[id].next = id + 1 < capacity ? id + 1 : no_id;
    free_ = capacity > 0 ? 0 : no_id;
  }

  [[nodiscard]] std::optional<ContextId> find(FlowKey key) const {
    if (size(key.lane) == 0) return std::nullopt;
    for (ContextId id = buckets_[bucket(key)]; id != no_id; id = slots_[id].next) {
      if (slots_[id].key == key) return id;
    }
    return std::nullopt;
  }

  /// A fresh context for a key that has none; nothing if the table is full.
  std::optional<ContextId> insert(FlowKey key) {
    if (free_ == no_id) return std::nullopt;
    const ContextId id = std::exchange(free_, slots_[free_].next);
    slots_[id].key = key;
    slots_[id].used = true;
    slots_[id].context = Context{};
    slots_[id].next = std::exchange(buckets_[bucket(key)], id);
    ++sizes_[static_cast<std::size_t>(key.lane)];
    return id;
  }

  void erase(ContextId id) {
    ContextId* link = &buckets_[bucket(slots_[id].key)];
    while (*link != id) link = &slots_[*link].next;
    *link = slots_[id].next;
    slots_[id].used = false;
    slots_[id].next = std::exchange(free_, id);
    --sizes_[static_cast<std::size_t>(slots_[id].key.lane)];
  }

  [[nodiscard]] Context& operator[](ContextId id) { return slots_[id].context; }
  [[nodiscard]] const Context& operator[](ContextId id) const { return slots_[id].context; }
  [[nodiscard]] FlowKey key(ContextId id) const { return slots_[id].key; }
  [[nodiscard]] Rank peer(ContextId id) const { return slots_[id].key.peer; }
  [[nodiscard]] bool used(ContextId id) const { return slots_[id].used; }
  [[nodiscard]] std::uint32_t size() const { return sizes_[0] + sizes_[1]; }
  [[nodiscard]] std::uint32_t size(Lane lane) const { return sizes_[static_cast<std::size_t>(lane)]; }
  [[nodiscard]] std::uint32_t capacity() const { return static_cast<std::uint32_t>(slots_.size()); }

 private:
  struct Slot {
    Context context{};
    FlowKey key;
    ContextId next = no_id;  // in the bucket's chain, or in the chain of free slots
    bool used = false;
  };

  [[nodiscard]] std::size_t bucket(FlowKey key) const { return key.hash() & (buckets_.size() - 1); }

  std::vector<Slot> slots_;
  std::vector<ContextId> buckets_;
  ContextId free_ = no_id;
  std::array<std::uint32_t, 2> sizes_{};  // by lane
};

/// A first-in, first-out queue of numbers below `capacity`, each in it at most once.
class IdQueue {
 public:
  explicit IdQueue(std::uint32_t capacity);

  /// To the end; stays where it is if it is in the queue.
  void push(std::uint32_t id) {
    if (!links_[id].in) append(id);
  }
  /// Does nothing if it is not in the queue.
  void remove(std::uint32_t id) {
    if (links_[id].in) unlink(id);
  }
  void move_to_end(std::uint32_t id) {
    if (last_ == id) return;
    remove(id);
    append(id);
  }
  void move_to_front(std::uint32_t id);
  std::uint32_t pop();  ///< of a queue that is not empty

  [[nodiscard]] std::uint32_t front() const { return first_; }
  [[nodiscard]] bool empty() const { return first_ == no_id; }
  [[nodiscard]] bool contains(std::uint32_t id) const { return links_[id].in; }
  [[nodiscard]] std::uint32_t size() const { return size_; }

 private:
  struct Link {
    std::uint32_t previous = no_id;
    std::uint32_t next = no_id;
    bool in = false;
  };

  void append(std::uint32_t id);
  void unlink(std::uint32_t id);

  std::vector<Link> links_;
  std::uint32_t first_ = no_id;
  std::uint32_t last_ = no_id;
  std::uint32_t size_ = 0;
};

/// A first-in, first-out queue that runs through the `next` of its slots; each slot is in one queue at most.
struct SlotQueue {
  std::uint32_t head = no_id;
  std::uint32_t tail = no_id;

  [[nodiscard]] bool empty() const { return head == no_id; }

  template <typename Slots>
  void push(std::uint32_t slot, Slots& slots) {
    slots[slot].next = no_id;
    (tail == no_id ? head : slots[tail].next) = slot;
    tail = slot;
  }

  template <typename Slots>
  std::uint32_t pop(Slots& slots) {
    const std::uint32_t slot = std::exchange(head, slots[head].next);
    if (head == no_id) tail = no_id;
    return slot;
  }

  /// Goes through the whole queue; does nothing if the slot is not in it.
  template <typename Slots>
  void remove(std::uint32_t slot, Slots& slots) {
    SlotQueue kept;
    while (!empty()) {
      const std::uint32_t first = pop(slots);
      if (first != slot) kept.push(first, slots);
    }
    *this = kept;
  }
};

/// When which number below `capacity` wants attention: a binary heap that knows where each number stands.
class Deadlines {
 public:
  explicit Deadlines(std::uint32_t capacity);

  void set(std::uint32_t id, Time when);  ///< replaces an earlier setting; `never` clears it
  void clear(std::uint32_t id);

  [[nodiscard]] Time of(std::uint32_t id) const { return places_[id] == no_id ? never : times_[id]; }
  [[nodiscard]] Time earliest() const { return heap_.empty() ? never : times_[heap_.front()]; }

  /// Takes out the earliest number that is due.
  std::optional<std::uint32_t> pop_due(Time now);

 private:
  void sift_up(std::size_t place);
  void sift_down(std::size_t place);
  void put(std::size_t place, std::uint32_t id);

  std::vector<std::uint32_t> heap_;
  std::vector<std::uint32_t> places_;  // in heap_, by id; no_id where none is set
  std::vector<Time> times_;            // by id
};

}  // namespace ayatori::transport
