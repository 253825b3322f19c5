#pragma once
/// \file
/// Which of some ways to execute a call is the fastest? Some calls take turns, and their times are compared; later,
/// others do that again.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ayatori {

/// Whether calls of some kind and size are made often enough for a trial: the first of them are timed, which says how
/// many more there must be. All ranks hold one for the same calls.
class CallsBeforeTrial {
 public:
  /// So many calls are timed.
  static constexpr std::size_t timed = 8;

  /// The call took `seconds`.
  void note(double seconds);
  [[nodiscard]] bool needs_agreement() const { return calls_ == timed; }
  /// After `timed` calls: the mean time of a call, in seconds, without the first, which may be slow.
  [[nodiscard]] double mean() const { return seconds_ / static_cast<double>(timed - 1); }
  /// How many calls there are between the timed ones and the trial; `mean` is that of the slowest rank. To find what is
  /// worth a trial takes 20 to 70 µs for small messages among two ranks and the time of two calls for 2 MiB, and first
  /// calls are slow: so calls must have taken 300 µs, and must be 128. Where ranks share cores (`oversubscribed`) and
  /// calls take milliseconds, as by MPI libraries that wait without giving their core to others, 100 ms are enough:
  /// another way may take a thousandth of the time.
  [[nodiscard]] static std::uint64_t calls_until_trial(double mean, bool oversubscribed);
  /// Whether ranks share cores and calls of this mean time are so long that ranks seem to spin there.
  [[nodiscard]] static bool ranks_spin(double mean, bool oversubscribed);

 private:
  std::size_t calls_ = 0;
  double seconds_ = 0;
};

/// Takes no time of its own: times are handed in. All ranks hold one for the same calls, and hand each other their
/// times, so that all choose alike.
///
/// First each way executes two calls, which are not counted but say how long calls take; twice four in a row where
/// ranks spin on cores that they share. Then there are rounds, in each of which each way has a turn of several calls in
/// a row, so many that a turn takes some 300 µs, and at least three of calls that take up to 2 ms (100 ms where ranks
/// share cores): of a call in which a rank waits for nobody its time tells nothing (a root goes on at once, and the
/// ranks that it serves wait in a later call), the mean of several does. The first call of such a turn is not counted,
/// as it may still wait for the way before it. Each round begins with another way.
///
/// A way that is clearly slower than the best one leaves: the more rounds have shown it, the less slow it must be
/// (trial.cpp says how much). Times are compared after the first calls, the second ones, and rounds 1, 2, 4, 7, … . The
/// way that executes until now leaves after four rounds at the earliest, as it is what all others are compared with. A
/// trial in which one way is left is over.
///
/// Where calls on trial have taken longer, by a tenth of what all calls took until now, than the way that executes
/// until now would have, there is a pause: so what a trial loses is bounded, and in programs that make few such calls
/// it does not come far.
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

  /// Way 0 is the MPI's own, `settled` the way that executes until now, and has executed `calls_before`. `spins`: as
  /// CallsBeforeTrial::ranks_spin() says, on all ranks alike.
  explicit Trial(std::size_t ways, std::size_t settled = 0, std::size_t rounds = default_rounds,
                 std::uint64_t calls_before = 0, bool spins = false);

  /// Who executes the next call; precondition: neither over() nor needs_agreement().
  [[nodiscard]] std::size_t turn() const { return (place_ + round_) % ways_; }
  /// The call took `seconds`; the next call is next.
  void note(double seconds);

  /// All ranks hand in the longest of what numbers() says on any of them, one by one, by agree(), before the next call.
  [[nodiscard]] bool needs_agreement() const { return needs_agreement_; }
  /// Times in seconds that are not agreed on.
  [[nodiscard]] const std::vector<double>& numbers() const { return numbers_; }
  /// `oversubscribed`: some node has more ranks than cores; all ranks say the same.
  void agree(const std::vector<double>& of_slowest, bool oversubscribed = false);
  /// After agree(): so many calls are the settled way's before the next one on trial.
  [[nodiscard]] std::uint64_t pause() const { return pause_; }

  [[nodiscard]] bool over() const { return over_; }
  /// After over(): the way to execute from now on.
  [[nodiscard]] std::size_t best() const { return best_; }

  /// Round after round, and in each way after way: the mean time of a call in its turn on the slowest rank, in seconds;
  /// of a way that has left, the median of its times, or the time of its first calls.
  [[nodiscard]] const std::vector<double>& times() const { return times_; }
  /// By way the median of its times, in seconds.
  [[nodiscard]] std::vector<double> medians() const;

  /// After over(): how many calls there should be until another trial, so that all but the first together take about
  /// 1% of a program's time at most.
  [[nodiscard]] std::uint64_t calls_until_next() const;

 private:
  [[nodiscard]] bool first_calls_are_over() const { return passes_ == first_passes; }
  [[nodiscard]] std::size_t ways_left() const;
  void next_turn();
  void next_first_calls();
  void agree_on_first_calls(const std::vector<double>& times);
  void agree_on_rounds(const std::vector<double>& times);
  void count_cost(double seconds, double seconds_of_settled, std::size_t calls);
  void leave_if_slow();
  [[nodiscard]] bool is_slow(std::size_t way, std::size_t best) const;
  void choose_turns();
  void end_if_decided();
  void choose_pause();

  static constexpr std::size_t first_passes = 2;

  std::size_t ways_;
  std::size_t settled_;
  std::size_t rounds_of_a_part_;
  std::uint64_t calls_;            ///< before the trial, in it and in its pauses
  std::vector<double> numbers_;    ///< of this rank
  std::vector<double> times_;      ///< agreed on
  std::vector<double> last_time_;  ///< by way: of its first calls, and what stands for it after it has left
  std::vector<bool> left_;         ///< by way
  std::size_t passes_ = 0;
  std::size_t calls_of_a_turn_;
  bool oversubscribed_ = false;
  bool needs_agreement_ = false;
  bool over_ = false;
  std::size_t best_ = 0;
  std::size_t round_ = 0;
  std::size_t agreed_rounds_ = 0;
  std::size_t place_ = 0;       ///< in the round
  std::size_t turn_calls_ = 0;  ///< of this turn
  double turn_seconds_ = 0;     ///< that those took that count
  double seconds_ = 0;          ///< of the calls on trial, as agreed
  double lost_ = 0;             ///< by how much those took longer than the settled way's would have
  std::uint64_t pause_ = 0;
};

/// By way: the median of its times in a trial. `times` as Trial::times() has them.
[[nodiscard]] std::vector<double> medians_of(const std::vector<double>& times, std::size_t ways);

/// The way to execute from now on, where `settled` has executed until now. It stays, unless another one is faster in
/// the median over the rounds, in which they met the same load of the machine, and in more than two thirds of these.
/// Way 0 comes back as soon as it is faster at all; another way must be faster by 3% at least.
[[nodiscard]] std::size_t better_way(const std::vector<double>& times, std::size_t ways, std::size_t settled);

/// Whether more rounds are not needed: the way that better_way() says won six rounds of seven, or, if it is the settled
/// one, no other won more than half of them.
[[nodiscard]] bool is_clear(const std::vector<double>& times, std::size_t ways, std::size_t settled,
                            std::size_t better);

}  // namespace ayatori
