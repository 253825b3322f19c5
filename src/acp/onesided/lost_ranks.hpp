#pragma once
/// \file
/// The ranks that were found to be lost: what is asked of them later ends at once. Bounded: when it is full, one of
/// them is forgotten, and found to be lost once more.

#include <cstddef>
#include <unordered_set>

#include "ayatori/base/ids.hpp"

namespace ayatori::onesided {

class LostRanks {
 public:
  [[nodiscard]] bool has(Rank rank) const { return !ranks_.empty() && ranks_.contains(rank); }
  void add(Rank rank) {
    if (ranks_.size() == capacity) ranks_.erase(ranks_.begin());
    ranks_.insert(rank);
  }

 private:
  static constexpr std::size_t capacity = 4096;

  std::unordered_set<Rank> ranks_;
};

}  // namespace ayatori::onesided
