#pragma once
/// \file
/// What a wire keeps of the peers that it used last (mapped rings, address handles, entries of an address vector): a
/// bounded number of values, whatever the number of peers. A least-recently-used cache.

#include <utility>

#include "ayatori/transport/contexts.hpp"
#include "ayatori/transport/queues.hpp"

namespace ayatori::wires {

/// Has at most `max_values` values, one for each peer. All calls take constant expected time. A value does not move
/// until it is removed. Not thread-safe.
template <typename Value>
class PeerCache {
 public:
  explicit PeerCache(std::uint32_t max_values) : table_(max_values), recency_(max_values) {}  ///< at least 1

  [[nodiscard]] bool full() const { return table_.size() == table_.capacity(); }
  [[nodiscard]] bool knows(Rank peer) const { return table_.find(key(peer)).has_value(); }

  /// A peer's value, or nullptr. The value becomes the one used last.
  [[nodiscard]] Value* use(Rank peer) {
    const auto id = table_.find(key(peer));
    if (!id) return nullptr;
    recency_.move_to_end(*id);
    return &table_[*id];
  }

  /// The value used longest ago, which is removed next. The cache is not empty.
  [[nodiscard]] const Value& oldest() const { return table_[recency_.front()]; }

  /// Adds a value for a peer that has none; removes oldest() if the cache is full.
  Value& keep(Rank peer, Value value) {
    if (full()) forget_oldest();
    const transport::ContextId id = *table_.insert(key(peer));
    recency_.push(id);
    return table_[id] = std::move(value);
  }

  /// Removes oldest(). The cache is not empty.
  void forget_oldest() { erase(recency_.pop()); }

  /// Removes a peer's value, if there is one.
  void forget(Rank peer) {
    const auto id = table_.find(key(peer));
    if (!id) return;
    recency_.remove(*id);
    erase(*id);
  }

 private:
  void erase(transport::ContextId id) {
    table_[id] = Value{};
    table_.erase(id);
  }

  static transport::FlowKey key(Rank peer) { return {.peer = peer}; }

  transport::ContextTable<Value> table_;
  transport::IdQueue recency_;  // all values, the one used longest ago first
};

}  // namespace ayatori::wires
