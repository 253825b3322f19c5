#pragma once
/// \file
/// How long to wait for an answer.

#include <cstdint>

#include "ayatori/transport/options.hpp"
#include "ayatori/transport/time.hpp"

namespace ayatori::transport {

/// Timeouts without an answer after which a peer counts as silent (RFC 9002, section 7.6, "persistent congestion").
inline constexpr std::uint32_t attempts_of_silence = 3;

/// The adaptive retransmission timeout of one flow. From round-trip samples R (RFC 6298, section 2):
///
///     first:  S = R,  V = R / 2          then:  V += (|S - R| - V) / 4,   S += (R - S) / 8
///     RTO = min(longest, max(floor, S + 4 V) · 2^backoff)
///
/// with V counted as S / 16 at least. Every copy of a packet is timed by the stamp that its acknowledgement echoes, so
/// any acknowledgement gives a sample, none is ambiguous, and each ends the back-off. (With Karn's rule instead, a
/// receiver with one buffer starves the estimate: hardly a packet gets through as its first copy.) What the answer to
/// an ask gives is only a guess, which the first sample of a data packet replaces: when many senders ask at once, they
/// wait for each other. Kept, it would make timers several times too long, and with one buffer for all senders those
/// with long timers hardly ever get another sample.
///
/// What RFC 6298 fixes at a second, the floor, moves here: paper 5 (section 5.3) finds the best timer just above the
/// one that makes receivers see packets twice. When more of the packets than the target were sent again in vain, it
/// rises by an eighth for each of those, at most by half, and otherwise falls by a 128th; both are judged over at least
/// `judged_packets`. A copy was in vain if the receiver had the packet already, and if the sender sees that an earlier
/// copy was still under way (Eifel, RFC 3522). The first alone is also true where the acknowledgement was lost; the
/// second alone also where the copy found no buffer, which costs the receiver nothing (decision 102). So one duplicate
/// in a thousand packets is where it stays. It starts to rise from 5/4 S: what V adds while little is known must not
/// stay for thousands of packets. It never exceeds 4 S: who is taken from its core for a while is late for any timer,
/// and a floor that rose with that would stall the flow for as long after each loss.
class RoundTrip {
 public:
  static constexpr std::uint32_t judged_packets = 64;
  static constexpr std::int64_t max_floor = 4;  // smoothed round trips

  explicit RoundTrip(const Retransmission& options);
  RoundTrip() = default;

  enum class Of : std::uint8_t { data, control };

  void sample(Duration round_trip, Of of = Of::data);
  /// `duplicates` are what the receiver has reported, `too_soon` the copies of which the sender sees that an earlier
  /// one was still under way. Both come with different acknowledgements, so they are compared over `judged_packets`.
  void judge(std::uint32_t arrived, std::uint32_t duplicates, std::uint32_t too_soon, const Retransmission& options);
  void timed_out() { backoff_ = backoff_ < max_backoff ? backoff_ + 1 : backoff_; }

  [[nodiscard]] Duration timeout(const Retransmission& options) const;
  [[nodiscard]] Duration floor() const { return floor_; }
  [[nodiscard]] Duration smoothed() const { return smoothed_; }  ///< 0 before the first sample

 private:
  static constexpr std::uint32_t max_backoff = 16;

  Duration smoothed_{0};  // S; 0 before the first sample or guess
  Duration variation_{0};
  Duration floor_{0};
  std::uint32_t backoff_ = 0;
  std::uint32_t arrived_ = 0;
  std::uint32_t duplicates_ = 0;
  std::uint32_t too_soon_ = 0;
  bool known_ = false;  // from a data packet
};

}  // namespace ayatori::transport
