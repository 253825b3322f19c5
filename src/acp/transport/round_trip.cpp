#include "round_trip.hpp"

#include <algorithm>

namespace ayatori::transport {

RoundTrip::RoundTrip(const Retransmission& options) : floor_(options.shortest_timeout) {}

void RoundTrip::sample(Duration round_trip, Of of) {
  round_trip = std::max(round_trip, Duration(1));
  if (known_) {
    variation_ += (std::chrono::abs(smoothed_ - round_trip) - variation_) / 4;
    smoothed_ += (round_trip - smoothed_) / 8;
  } else {
    smoothed_ = round_trip;
    variation_ = round_trip / 2;
    known_ = of == Of::data;
  }
  backoff_ = 0;
}

void RoundTrip::judge(std::uint32_t arrived, std::uint32_t duplicates, std::uint32_t too_soon,
                      const Retransmission& options) {
  arrived_ += arrived;
  duplicates_ += duplicates;
  too_soon_ += too_soon;
  if (arrived_ < judged_packets) return;
  const std::uint32_t in_vain = std::min(duplicates_, too_soon_);
  if (in_vain > options.duplicate_target * arrived_) {
    const Duration waited = std::max(floor_, smoothed_ + smoothed_ / 4);
    const Duration highest = std::max(options.shortest_timeout, max_floor * smoothed_);
    floor_ = std::min({options.longest_timeout, highest, waited + waited * std::min(in_vain, 4U) / 8});
  } else {
    floor_ = std::max(options.shortest_timeout, floor_ - floor_ / 128);
  }
  arrived_ = 0;
  duplicates_ = 0;
  too_soon_ = 0;
}

Duration RoundTrip::timeout(const Retransmission& options) const {
  const bool guessed = smoothed_.count() != 0;
  Duration base = guessed ? smoothed_ + 4 * std::max(variation_, smoothed_ / 16) : options.initial_timeout;
  const Duration floor = guessed ? std::min(floor_, max_floor * smoothed_) : floor_;
  base = std::min(std::max(base, floor), options.longest_timeout);
  return std::min(options.longest_timeout, base * (std::int64_t{1} << backoff_));
}

}  // namespace ayatori::transport
