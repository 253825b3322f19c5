#pragma once
/// \file
/// Does progress in the background pay? Time slices with and without it alternate, and the program's own cycles show in
/// which it is faster: they contain all costs, wherever these occur.

#include <cstdint>
#include <optional>
#include <vector>

namespace ayatori {

/// Takes no time of its own: times are handed in, in seconds. All processes that hand in about the same times are in
/// the same slice. Not safe for concurrent use.
class ProgressTrial {
 public:
  struct Outcome {
    bool pays = true;
    double with = 0;  ///< mean of a cycle, in seconds; the tenth that took longest does not count
    double without = 0;
  };

  /// Whether operations are to be moved at this time.
  [[nodiscard]] bool on(double now) const;
  /// Whether that may change before the next cycle begins.
  [[nodiscard]] bool on_trial() const { return on_trial_; }

  /// A cycle of the program begins (it has begun something, and nothing was under way before), and the one before is
  /// over. Gives the outcome when a trial ends with this cycle: that is after `seconds_of_trial`, or some twenty cycles
  /// if these take longer; where cycles differ much, it takes more of them, at most 8 s. There is another
  /// trial after thirty times as long, since a program does other things by then; while progress does not pay, the
  /// first ones come after 3 and 9 times as long.
  std::optional<Outcome> begin_cycle(double now);

  static constexpr double seconds_of_trial = 1;

 private:
  [[nodiscard]] std::uint64_t slice_of(double now) const { return static_cast<std::uint64_t>(now / slice_); }
  [[nodiscard]] bool can_compare() const;
  /// Whether it is clear in which of both cycles are shorter, if in any.
  [[nodiscard]] bool is_enough();
  void begin_trial(double now);
  /// After two cycles of which fewer than four fit into a slice: makes slices long enough for four of the shorter one.
  void make_room_for(double cycle);
  [[nodiscard]] Outcome compare();

  static constexpr double first_slice = 1.0 / 16;

  double slice_ = first_slice;
  double begin_ = 0;     ///< of the trial
  double too_long_ = 0;  ///< the last cycle for which slices were too short, in seconds
  double last_ = 0;      ///< begin of the cycle
  bool on_trial_ = false;
  bool settled_ = false;
  bool pays_ = true;
  double wait_ = 1;  ///< for the next trial, in lengths of the last one
  double again_at_ = 0;
  std::vector<double> with_;
  std::vector<double> without_;
};

}  // namespace ayatori
