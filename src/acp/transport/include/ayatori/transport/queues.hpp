#pragma once
/// \file
/// First-in, first-out queues of small numbers. All memory is taken at construction; no call allocates. Not
/// thread-safe.

#include <cstdint>
#include <utility>
#include <vector>

#include "ayatori/base/ids.hpp"

namespace ayatori::transport {

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

}  // namespace ayatori::transport
