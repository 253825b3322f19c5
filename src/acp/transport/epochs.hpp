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
/// Safety needs only that epochs grow. That they follow the time saves round trips: a new flow's epoch exceeds the
/// floors of its peers, also those that other endpoints' flows have raised, if clocks agree within the life of a flow.
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
/// A peer that shares a cell with others may be asked to renew a flow that was never seen. A flow that was forgotten is
/// never taken for a new one.
class EpochFloors {
 public:
  /// `cells` is rounded up to a power of two.
  EpochFloors(std::size_t cells, Epoch floor);

  [[nodiscard]] Epoch of(FlowKey key) const { return cells_[cell(key)]; }
  void raise(FlowKey key, Epoch epoch);

  /// The highest of all cells. An endpoint that starts with it as its floor takes no forgotten flow for a new one.
  [[nodiscard]] Epoch highest() const { return highest_; }

 private:
  [[nodiscard]] std::size_t cell(FlowKey key) const;

  std::vector<Epoch> cells_;
  Epoch highest_;
};

}  // namespace ayatori::transport
