#include "epochs.hpp"

#include <algorithm>
#include <bit>

namespace ayatori::transport {

Epoch EpochClock::next(Time now) {
  const auto time = static_cast<Epoch>(std::max<Duration::rep>(now.time_since_epoch().count(), 0));
  last_ = std::max(last_ + 1, time);
  return last_;
}

EpochFloors::EpochFloors(std::size_t cells, Epoch floor)
    : cells_(std::bit_ceil(std::max<std::size_t>(cells, 1)), floor), highest_(floor) {}

void EpochFloors::raise(FlowKey key, Epoch epoch) {
  Epoch& floor = cells_[cell(key)];
  floor = std::max(floor, epoch);
  highest_ = std::max(highest_, epoch);
}

// Consecutive ranks get cells of their own: the low bits are a perfect hash for them.
std::size_t EpochFloors::cell(FlowKey key) const {
  const std::size_t half = cells_.size() / 2;
  return key.lane == Lane::messages || half == 0 ? key.peer & (cells_.size() - 1)
                                                 : (key.peer + half) & (cells_.size() - 1);
}

}  // namespace ayatori::transport
