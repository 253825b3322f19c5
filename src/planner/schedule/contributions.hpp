#pragma once
/// \file
/// What a slot holds, described by which contributions are in it.

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ayatori/schedule/collective.hpp"

namespace ayatori {

/// A slot's value: an index into Contributions. Equal values have equal indices.
using Value = std::uint32_t;

/// Multisets of contributions ("rank r's slot j, k times"), each stored once, as steps of its multiplicity: over slot
/// j's ranks from 0 on it rises by `by` at `rank`. What combines neighbouring ranks is short, then.
class Contributions {
 public:
  static constexpr Value nothing = 0;

  Contributions() { intern({}); }
  [[nodiscard]] Value one(Rank rank, Slot slot) { return intern({{slot, rank, 1}, {slot, rank + 1, -1}}); }
  /// Slot `slot` of ranks 0 … ranks − 1, once each.
  [[nodiscard]] Value of_all(Rank ranks, Slot slot) { return intern({{slot, 0, 1}, {slot, ranks, -1}}); }
  [[nodiscard]] Value sum(Value a, Value b);
  /// Steps that sum() has gone through so far, in new sums: a measure of its time and memory.
  [[nodiscard]] std::uint64_t work() const { return work_; }
  /// Whether a sum had some contribution more often than max_times_combined; counts are not to be trusted then.
  [[nodiscard]] bool too_often() const { return too_often_; }
  /// For error messages: "rank 3's slot 1 2 times, …".
  [[nodiscard]] std::string describe(Value value) const;
  /// Rank and slot, if it is just one contribution; {no_id, 0} otherwise.
  [[nodiscard]] std::pair<Rank, Slot> only(Value value) const;
  /// The first and the last rank of which something is in it. Precondition: something is, all of one slot.
  [[nodiscard]] std::pair<Rank, Rank> ranks_of(Value value) const;

 private:
  struct Rise {
    Slot slot;
    Rank rank;
    std::int32_t by;
    friend bool operator==(const Rise&, const Rise&) = default;
  };
  using Rises = std::vector<Rise>;  // sorted by slot and rank, none by 0
  struct Hash {
    std::size_t operator()(const Rises& rises) const;
  };

  Value intern(Rises rises);
  [[nodiscard]] static bool has_too_many(const Rises& rises);

  std::vector<const Rises*> rises_;  // by value
  std::unordered_map<Rises, Value, Hash> known_;
  std::unordered_map<std::uint64_t, Value> sums_;
  std::uint64_t work_ = 0;
  bool too_often_ = false;
};

}  // namespace ayatori
