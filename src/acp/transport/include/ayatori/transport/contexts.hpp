#pragma once
/// \file
/// A hash table of fixed size: what is remembered of each peer that one talks to now. All memory is taken at
/// construction; no call allocates. Not thread-safe.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "ayatori/base/ids.hpp"

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

}  // namespace ayatori::transport
