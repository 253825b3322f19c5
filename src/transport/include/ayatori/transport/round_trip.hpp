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
/// with V counted as S / 16 at least. Every copy of a packet is timed by the stamp that its acknowledgement echoes, so
/// any acknowledgement gives a sample, none is ambiguous, and each ends the back-off. (With Karn's rule instead, a
/// receiver with one buffer starves the estimate: hardly a packet gets through as its first copy.) What RFC 6298 fixes
/// at a second, the floor, moves here: paper 5 (section 5.3) finds the best timer just above the one that makes
/// receivers see packets twice, so it rises by half when more of the packets than the target came twice, and otherwise
/// falls by a 64th, both judged over at least `judged_packets`.
class RoundTrip {
 public:
  static constexpr std::uint32_t judged_packets = 64;

  explicit RoundTrip(const Retransmission& options);
  RoundTrip() = default;

  void sample(Duration round_trip);
  void judge(std::uint32_t arrived, std::uint32_t duplicates, const Retransmission& options);
  void timed_out() { backoff_ = backoff_ < most_backoff ? backoff_ + 1 : backoff_; }

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
