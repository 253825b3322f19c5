#pragma once
/// \file
/// Epochs name flows, and make it safe to forget a flow: see
/// docs/decisions/0100-evicting-contexts.md for the argument in full.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ayatori/transport/contexts.hpp"
#include "ayatori/transport/packet.hpp"
#include "ayatori/transport/time.hpp"

namespace ayatori::transport {

/// Hands out an endpoint's epochs, each higher than all before:
///
///     epoch = max(last + 1, now in nanoseconds, highest floor heard of + 1)
///
/// Only the growth matters for safety. That epochs follow the time makes a new flow's epoch exceed what peers forgot
/// long ago, even if they forgot another endpoint's flow: clocks that agree within a flow's life save round trips.
class EpochClock {
 public:
  explicit EpochClock(Epoch floor = 0) : last_(floor) {}

  [[nodiscard]] Epoch next(Time now);
  [[nodiscard]] Epoch last() const { return last_; }
  void raise(Epoch floor) { last_ = floor > last_ ? floor : last_; }

 private:
  Epoch last_;
};

/// All that a receiver remembers of the flows it has forgotten: for each *cell* (the peers and lanes that share a hash)
/// an epoch that no forgotten flow of those peers exceeds. Eight bytes a cell, fixed, however many peers there were.
/// Peers that share a cell may be asked to renew a flow that was never seen; they are never believed one that was.
class EpochFloors {
 public:
  /// `cells` is rounded up to a power of two.
  EpochFloors(std::size_t cells, Epoch floor);

  [[nodiscard]] Epoch of(FlowKey key) const { return cells_[cell(key)]; }
  void raise(FlowKey key, Epoch epoch);

  /// The highest of all: below it nothing is new to whoever starts again with it.
  [[nodiscard]] Epoch highest() const { return highest_; }

 private:
  [[nodiscard]] std::size_t cell(FlowKey key) const;

  std::vector<Epoch> cells_;
  Epoch highest_;
};

}  // namespace ayatori::transport
