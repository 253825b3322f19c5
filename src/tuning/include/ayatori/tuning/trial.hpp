#pragma once
/// \file
/// Which of some ways to play a call is the fastest? Some calls take turns, and their times are compared; later, others
/// do that again.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ayatori {

/// Takes no time of its own: times are handed in. All ranks hold one for the same calls, and hand each other their
/// times before they choose, so that all choose alike.
///
/// First each way plays two calls, which are not counted but say how long calls take. A way both of whose calls took
/// milliseconds, and ten times as long as those of another one, plays no more: MPI libraries that wait without giving
/// their core to others take 10 to 100 ms for a call where ranks share cores. Then there are rounds, in each of
/// which each way has a turn of several calls in a row, so many that a turn takes some 300 µs, and at least three of
/// calls that take up to 2 ms: of a call in which a rank waits for nobody its time tells nothing (a root goes on at
/// once, and the ranks that it serves wait in a later call), the mean of several does. The first call of such a turn is
/// not counted, as it may still wait for the way before it. Each round begins with another way.
///
/// Where the outcome is not clear after these rounds (is_clear), there are as many more, and once again: with more
/// ranks than cores the times of the same way differ by more than the ways do. There turns are also four times as long:
/// until all ranks have come from one way to the next, each core goes through all of its ranks, and in a short turn
/// this takes longer than the calls.
class Trial {
 public:
  static constexpr std::size_t default_rounds = 7;
  /// So often there are these rounds at most.
  static constexpr std::size_t max_parts = 3;

  /// Way 0 is the MPI's own.
  explicit Trial(std::size_t ways, std::size_t rounds = default_rounds);

  /// Who plays the next call; precondition: not over().
  [[nodiscard]] std::size_t turn() const { return (place_ + round_) % ways_; }
  /// The call took `seconds`; the next call is next.
  void note(double seconds);

  /// True once, when every way has played its first calls: all ranks hand in, by way, the longest of the times that
  /// first_times() says on any of them, by agree(), before the next call.
  [[nodiscard]] bool needs_agreement() const { return needs_agreement_; }
  /// By way the shorter of its first two calls, in seconds: the first of all may be slow.
  [[nodiscard]] const std::vector<double>& first_times() const { return first_times_; }
  /// `crowded`: some node has more ranks than cores; all ranks say the same.
  void agree(std::vector<double> first_times_of_all, bool crowded = false);

  /// Until go_on() is called.
  [[nodiscard]] bool over() const { return round_ == rounds_; }
  /// The time of all calls, in seconds.
  [[nodiscard]] double seconds() const { return seconds_of_all_; }
  /// After over(): whether there may be more rounds. `seconds_of_all_ranks`: the longest that seconds() says on any.
  [[nodiscard]] bool may_go_on(double seconds_of_all_ranks) const;
  /// After over(): as many rounds more.
  void go_on();
  [[nodiscard]] std::size_t ways() const { return ways_; }

  /// Round after round, and in each way after way: the mean time of a call in its turn, in seconds; of a way that plays
  /// no more always its first time. After over().
  [[nodiscard]] const std::vector<double>& times() const { return times_; }

  /// After how many calls there should be another trial, so that all but the first together take about 1% of a
  /// program's time at most: `times` is times() of the slowest ranks, and `settled` the way that plays until then.
  [[nodiscard]] std::uint64_t calls_until_next(const std::vector<double>& times, std::size_t settled) const;

 private:
  [[nodiscard]] bool is_left_out(std::size_t way) const { return !left_out_.empty() && left_out_[way]; }
  void go_to_turn();

  std::size_t ways_;
  std::size_t rounds_of_a_part_;
  std::size_t rounds_;
  std::vector<double> times_;
  std::vector<double> first_times_;  ///< by way
  std::vector<bool> left_out_;       ///< by way: it plays no more
  std::size_t first_calls_ = 0;
  std::size_t calls_of_a_turn_ = 1;
  double longer_ = 1;    ///< so many times as long are turns
  bool counts_ = false;  ///< the first calls are over
  bool needs_agreement_ = false;
  std::size_t round_ = 0;
  std::size_t place_ = 0;  ///< in the round
  std::size_t calls_ = 0;  ///< of this turn
  double seconds_ = 0;     ///< that those took that count
  double seconds_of_all_ = 0;
};

/// By way: the median of its times in a trial. `times` as Trial::times() has them, of the slowest ranks.
[[nodiscard]] std::vector<double> medians_of(const std::vector<double>& times, std::size_t ways);

/// The way to play from now on, where `settled` has played until now. It stays, unless another one is faster in the
/// median over the rounds, in which they met the same load of the machine, and in more than two thirds of these. Way 0
/// comes back as soon as it is faster at all; another way must be faster by 3% at least.
[[nodiscard]] std::size_t better_way(const std::vector<double>& times, std::size_t ways, std::size_t settled);

/// Whether more rounds are not needed: the way that better_way() says won six rounds of seven, or, if it is the settled
/// one, no other won more than half of them.
[[nodiscard]] bool is_clear(const std::vector<double>& times, std::size_t ways, std::size_t settled,
                            std::size_t better);

}  // namespace ayatori
