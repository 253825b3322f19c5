#pragma once
/// \file
/// Poll backoff: the pause until the next poll for progress. Every poll costs the program two context switches, whether
/// it finds anything or not; a late poll leaves the network idle.

#include <cstdint>

namespace ayatori {

/// Pauses grow while polls find nothing. After a poll that found work the pause is forty times as long as the poll:
/// messages gather in the meantime, and fewer polls move them, at less cost. If so much has gathered that buffers may
/// be full, the pause is short. The time of a poll shows whether it found work, as nothing else is known of a
/// communication library. Reads no clock. Not safe for concurrent use.
class PollBackoff {
 public:
  /// Times in nanoseconds.
  static constexpr std::int64_t shortest_ns = 100'000;
  static constexpr std::int64_t shortest_oversubscribed_ns = 300'000;  ///< where threads wait for a core
  static constexpr std::int64_t longest_ns = 600'000;
  static constexpr std::int64_t share_of_pause = 40;     ///< polls take 1/40 of the time, if each finds something
  static constexpr std::int64_t long_poll_ns = 150'000;  ///< some 100 KiB have gathered

  /// Something was begun, or may move soon: the next pause is short.
  void begin() { pause_ = shortest_ns; }

  /// A poll took so long on its core.
  void polled(std::int64_t nanoseconds);

  /// There was no reason to poll.
  void idled() { grow(); }

  /// Until the next poll.
  [[nodiscard]] std::int64_t pause(bool is_oversubscribed) const {
    return is_oversubscribed && pause_ < shortest_oversubscribed_ns ? shortest_oversubscribed_ns : pause_;
  }

 private:
  void grow();

  std::int64_t pause_ = shortest_ns;
  double idle_poll_ = 0;  ///< nanoseconds of a poll that finds nothing; 0: not known yet
};

}  // namespace ayatori
