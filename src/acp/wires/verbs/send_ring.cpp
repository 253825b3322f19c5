#include "send_ring.hpp"

#include <algorithm>

namespace ayatori::wires {

SendRing::Send SendRing::next() const {
  const std::uint64_t number = posted_ + 1;
  return {number, static_cast<std::uint32_t>(posted_ % slots_), number % signal_every_ == 0};
}

void SendRing::complete(std::uint64_t number) { completed_ = std::clamp(number, completed_, posted_); }

/// Half of the slots: if only one send of all slots reported, the queue would be empty at each report.
std::uint32_t signal_interval(std::uint32_t slots, std::uint32_t peers) {
  return std::max(1U, std::min(slots / 2, peers));
}

}  // namespace ayatori::wires
