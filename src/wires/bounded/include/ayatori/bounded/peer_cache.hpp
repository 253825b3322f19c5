#pragma once
/// \file
/// What a wire keeps of the peers that it spoke to last: open rings, address handles, entries of an address vector. A
/// bounded number of them, whatever the number of peers.

#include <utility>

#include "ayatori/transport/contexts.hpp"
#include "ayatori/transport/queues.hpp"

namespace ayatori::wires {

/// At most `most` values, one a peer; all calls in constant expected time. A value stays where it is until it is
/// replaced. Not thread-safe.
template <typename Value>
class PeerCache {
 public:
  explicit PeerCache(std::uint32_t most) : table_(most), recency_(most) {}  ///< `most` is at least 1

  [[nodiscard]] bool full() const { return table_.size() == table_.capacity(); }
  [[nodiscard]] bool knows(Rank peer) const { return table_.find(key(peer)).has_value(); }

  /// A peer's value, which was used last from now on; nullptr if there is none.
  [[nodiscard]] Value* use(Rank peer) {
    const auto id = table_.find(key(peer));
    if (!id) return nullptr;
    recency_.move_to_end(*id);
    return &table_[*id];
  }

  /// The value that was not used for the longest, and gives way next. Of a cache that is not empty.
  [[nodiscard]] const Value& oldest() const { return table_[recency_.front()]; }

  /// Keeps a value for a peer that has none, in place of oldest() if the cache is full.
  Value& keep(Rank peer, Value value) {
    if (full()) forget_oldest();
    const transport::ContextId id = *table_.insert(key(peer));
    recency_.push(id);
    return table_[id] = std::move(value);
  }

  /// Gives up oldest(), of a cache that is not empty.
  void forget_oldest() { erase(recency_.pop()); }

  /// Gives up a peer's value, if there is one.
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
  transport::IdQueue recency_;  // all that are kept: the one used longest ago first
};

}  // namespace ayatori::wires
