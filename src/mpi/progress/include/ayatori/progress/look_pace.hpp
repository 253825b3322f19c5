#pragma once
/// \file
/// How soon to look again at what is under way. Every look costs the program a change of threads, whether it finds
/// anything or not; one that comes too late lets the network stand still.

#include <cstdint>

namespace ayatori {

/// Pauses grow while looks find nothing. After a look that found something to do the pause is forty times as long as
/// the look: messages that keep arriving gather in the meantime, and are moved in fewer looks, which costs less. Where
/// so much has gathered that buffers may be full, it is short. What a look found is told by the time that it took: all
/// that is known of a communication library is that it has less to do when nothing has arrived. Takes no time of its
/// own. Not safe for concurrent use.
class LookPace {
 public:
  /// Times in nanoseconds.
  static constexpr std::int64_t shortest_ns = 100'000;
  static constexpr std::int64_t shortest_oversubscribed_ns = 300'000;  ///< where threads wait for a core
  static constexpr std::int64_t longest_ns = 600'000;
  static constexpr std::int64_t share_of_pause = 40;     ///< looks take 1/40 of the time, if each finds something
  static constexpr std::int64_t long_look_ns = 150'000;  ///< some 100 KiB have gathered

  /// Something was begun, or may move soon: the next pause is short.
  void begin() { pause_ = shortest_ns; }

  /// A look took so long on its core.
  void looked(std::int64_t nanoseconds);

  /// There was no reason to look.
  void idled() { grow(); }

  /// Until the next look.
  [[nodiscard]] std::int64_t pause(bool is_oversubscribed) const {
    return is_oversubscribed && pause_ < shortest_oversubscribed_ns ? shortest_oversubscribed_ns : pause_;
  }

 private:
  void grow();

  std::int64_t pause_ = shortest_ns;
  double idle_look_ = 0;  ///< nanoseconds of a look that finds nothing; 0: not known yet
};

}  // namespace ayatori
