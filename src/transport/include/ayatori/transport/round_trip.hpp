#pragma once
/// \file
/// How long to wait for an answer.

#include <cstdint>

#include "ayatori/transport/options.hpp"
#include "ayatori/transport/time.hpp"

namespace ayatori::transport {

/// The adaptive retransmission timeout of one flow. From round-trip samples R (RFC 6298, section 2):
///
///     first:  S = R,  V = R / 2          then:  V += (|S - R| - V) / 4,   S += (R - S) / 8
///     RTO = min(longest, max(floor, S + 4 V) · 2^backoff)
///
/// The caller samples packets that were sent once only (Karn's rule); the back-off of a time-out stays until such a
/// sample arrives. What RFC 6298 fixes at a second, the floor, moves here: paper 5 (section 5.3) finds the best timer
/// just above the one that makes receivers see packets twice, so it rises by half when more of the packets than the
/// target came twice, and otherwise falls by a tenth, both judged over at least `judged_packets`.
class RoundTrip {
 public:
  static constexpr std::uint32_t judged_packets = 64;

  explicit RoundTrip(const Retransmission& options);
  RoundTrip() = default;

  void sample(Duration round_trip);
  void judge(std::uint32_t arrived, std::uint32_t duplicates, const Retransmission& options);
  void timed_out() { backoff_ = backoff_ < most_backoff ? backoff_ + 1 : backoff_; }
  void answered() { backoff_ = 0; }  ///< the peer told what became of the packets: waiting longer would not help

  [[nodiscard]] Duration timeout(const Retransmission& options) const;
  [[nodiscard]] Duration floor() const { return floor_; }

 private:
  static constexpr std::uint32_t most_backoff = 16;

  Duration smoothed_{0};  // S; 0 before the first sample
  Duration variation_{0};
  Duration floor_{0};
  std::uint32_t backoff_ = 0;
  std::uint32_t arrived_ = 0;
  std::uint32_t duplicates_ = 0;
};

}  // namespace ayatori::transport
