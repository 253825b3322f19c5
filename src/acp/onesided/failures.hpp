#pragma once
/// \file
/// The failed operations whose failure the caller has not asked for yet, in bounded memory. When it is full, an
/// operation that succeeded may be reported as failed, but never the other way round.

#include <cstddef>
#include <optional>
#include <vector>

#include "ayatori/onesided/global_memory.hpp"
#include "transfers.hpp"

namespace ayatori::onesided {

class Failures {
 public:
  /// Operations from `first` to `last`, all with the fault of the first.
  struct Run {
    Handle first = 0;
    Handle last = 0;
    Fault fault = Fault::none;
    Rank rank = 0;
    bool exact = true;  ///< every one of them failed; otherwise some of them did, perhaps with other faults
  };

  /// `capacity`: the largest number of runs, at least 1.
  explicit Failures(std::size_t capacity) : capacity_(capacity) {}

  /// To be called by rising handle. When there is no room, the last run is extended to this operation.
  void add(Handle handle, Fault fault, Rank rank) {
    if (!runs_.empty()) {
      Run& last = runs_.back();
      const bool follows = last.last + 1 == handle && last.fault == fault && last.rank == rank;
      if (follows || runs_.size() == capacity_) {
        last.exact = last.exact && follows;
        last.last = handle;
        return;
      }
    }
    runs_.push_back({handle, handle, fault, rank, true});
  }

  /// Returns the earliest run if it begins at `handle` or before. Forgets all failures up to `handle`.
  [[nodiscard]] std::optional<Run> take(Handle handle) {
    if (runs_.empty() || runs_.front().first > handle) return std::nullopt;
    const Run earliest = runs_.front();
    std::erase_if(runs_, [&](const Run& run) { return run.last <= handle; });
    if (!runs_.empty() && runs_.front().first <= handle) runs_.front().first = handle + 1;
    return earliest;
  }

 private:
  std::size_t capacity_;
  std::vector<Run> runs_;  // by rising handle; no two overlap
};

}  // namespace ayatori::onesided
