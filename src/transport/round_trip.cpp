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

void RoundTrip::judge(std::uint32_t arrived, std::uint32_t duplicates, const Retransmission& options) {
  arrived_ += arrived;
  duplicates_ += duplicates;
  if (arrived_ < judged_packets) return;
  if (duplicates_ > options.duplicate_target * arrived_) {
    const Duration waited = std::max(floor_, smoothed_ + smoothed_ / 4);
    floor_ = std::min(options.longest_timeout, waited + waited * std::min(duplicates_, 4U) / 8);
  } else {
    floor_ = std::max(options.shortest_timeout, floor_ - floor_ / 128);
  }
  arrived_ = 0;
  duplicates_ = 0;
}

Duration RoundTrip::timeout(const Retransmission& options) const {
  const bool guessed = smoothed_.count() != 0;
  Duration base = guessed ? smoothed_ + 4 * std::max(variation_, smoothed_ / 16) : options.initial_timeout;
  base = std::min(std::max(base, floor_), options.longest_timeout);
  return std::min(options.longest_timeout, base * (std::int64_t{1} << backoff_));
}

}  // namespace ayatori::transport
