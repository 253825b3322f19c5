#pragma once
/// \file
/// The fastest of several candidates that can execute a call: the MPI's own collective and algorithms of ours. Blocks
/// of calls alternate between the candidates, and their times are compared. Later trials repeat that.

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
  /// another candidate may take a thousandth of the time.
  [[nodiscard]] static std::uint64_t calls_until_trial(double mean, bool oversubscribed);
  /// Whether ranks share cores and calls of this mean time are so long that ranks seem to spin there.
  [[nodiscard]] static bool ranks_spin(double mean, bool oversubscribed);

 private:
  std::size_t calls_ = 0;
  double seconds_ = 0;
};

/// Reads no clock: times are handed in. All ranks hold one Trial for the same calls and agree on the slowest rank's
/// times, so that all make the same choice.
///
/// 1. Each candidate executes two calls, which only show how long calls take; twice four in a row where ranks spin on
///    cores that they share.
/// 2. Rounds follow. In a round each candidate has one measurement block: consecutive calls that take some 300 µs
///    together, and at least three of calls of up to 2 ms (100 ms where ranks share cores). Single calls are not
///    comparable: the root of a rooted collective returns early, and the ranks that it serves wait in a later call. The
///    first call of a block is not counted, as it may still wait for the previous candidate. Each round begins with
///    another candidate.
/// 3. A candidate that is clearly slower than the best one is eliminated: the more rounds have shown it, the smaller
/// the
///    margin (trial.cpp has the margins). Times are compared after the first calls, the second ones, and rounds 1, 2,
///    4, 7, … . The incumbent, with which all others are compared, is eliminated after four rounds at the earliest. A
///    trial with one remaining candidate is over.
///
/// The cost of a trial is bounded. When it exceeds a tenth of the time of all calls so far, relative to the incumbent,
/// the trial pauses. In programs with few such calls it does not come far.
///
/// If the outcome is not clear after these rounds (is_clear), there are as many more, and once again. With more ranks
/// than cores, times of one candidate differ by more than the candidates do. Blocks are then four times as long: until
/// all ranks have changed from one candidate to the next, each core has scheduled all of its ranks, which takes longer
/// than the calls of a short block.
class Trial {
 public:
  static constexpr std::size_t default_rounds = 7;
  /// So often there are these rounds at most.
  static constexpr std::size_t max_parts = 3;

  /// Candidate 0 is the MPI's own. `incumbent` is the one in use, and has executed `calls_before`. `spins`: the result
  /// of CallsBeforeTrial::ranks_spin(), the same on all ranks.
  explicit Trial(std::size_t candidates, std::size_t incumbent = 0, std::size_t rounds = default_rounds,
                 std::uint64_t calls_before = 0, bool spins = false);

  /// The candidate that executes the next call; precondition: neither over() nor needs_agreement().
  [[nodiscard]] std::size_t current() const { return (position_ + round_) % candidates_; }
  /// The call took `seconds`; the next call is next.
  void note(double seconds);

  /// All ranks hand in the longest of what numbers() says on any of them, one by one, by agree(), before the next call.
  [[nodiscard]] bool needs_agreement() const { return needs_agreement_; }
  /// Times in seconds that are not agreed on.
  [[nodiscard]] const std::vector<double>& numbers() const { return numbers_; }
  /// `oversubscribed`: some node has more ranks than cores; all ranks say the same.
  void agree(const std::vector<double>& of_slowest, bool oversubscribed = false);
  /// After agree(): the incumbent executes so many calls before the next one on trial.
  [[nodiscard]] std::uint64_t pause() const { return pause_; }

  [[nodiscard]] bool over() const { return over_; }
  /// After over(): the candidate to use from now on.
  [[nodiscard]] std::size_t best() const { return best_; }

  /// By round, and in it by candidate: the mean time of a call in its block on the slowest rank, in seconds. For an
  /// eliminated candidate the median of its times, or the time of its first calls.
  [[nodiscard]] const std::vector<double>& times() const { return times_; }
  /// By candidate the median of its times, in seconds.
  [[nodiscard]] std::vector<double> medians() const;

  /// After over(): how many calls there should be until another trial, so that all but the first together take about
  /// 1% of a program's time at most.
  [[nodiscard]] std::uint64_t calls_until_next() const;

 private:
  [[nodiscard]] bool first_calls_are_over() const { return passes_ == first_passes; }
  [[nodiscard]] std::size_t candidates_left() const;
  void next_block();
  void next_first_calls();
  void agree_on_first_calls(const std::vector<double>& times);
  void agree_on_rounds(const std::vector<double>& times);
  void count_cost(double seconds, double seconds_of_incumbent, std::size_t calls);
  void eliminate_slow();
  [[nodiscard]] bool is_slow(std::size_t candidate, std::size_t best) const;
  void choose_block_size();
  void end_if_decided();
  void choose_pause();

  static constexpr std::size_t first_passes = 2;

  std::size_t candidates_;
  std::size_t incumbent_;
  std::size_t rounds_of_a_part_;
  std::uint64_t calls_;          ///< before the trial, in it and in its pauses
  std::vector<double> numbers_;  ///< of this rank
  std::vector<double> times_;    ///< agreed on
  std::vector<double>
      last_time_;                 ///< by candidate: of its first calls; after its elimination, its substitute in times_
  std::vector<bool> eliminated_;  ///< by candidate
  std::size_t passes_ = 0;
  std::size_t calls_per_block_;
  bool oversubscribed_ = false;
  bool needs_agreement_ = false;
  bool over_ = false;
  std::size_t best_ = 0;
  std::size_t round_ = 0;
  std::size_t agreed_rounds_ = 0;
  std::size_t position_ = 0;     ///< in the round
  std::size_t block_calls_ = 0;  ///< of this block
  double block_seconds_ = 0;     ///< of the calls that count
  double seconds_ = 0;           ///< of the calls on trial, as agreed
  double lost_ = 0;              ///< by how much those took longer than the incumbent's would have
  std::uint64_t pause_ = 0;
};

/// By candidate: the median of its times in a trial. `times` as Trial::times() has them.
[[nodiscard]] std::vector<double> medians_of(const std::vector<double>& times, std::size_t candidates);

/// The candidate to use from now on. `incumbent` stays unless another one is faster in the median over the rounds and
/// in more than two thirds of them; within a round both see the same load of the machine. Candidate 0 returns as soon
/// as it is faster at all; any other must be faster by 3% at least.
[[nodiscard]] std::size_t better_candidate(const std::vector<double>& times, std::size_t candidates,
                                           std::size_t incumbent);

/// Whether the outcome is clear without more rounds: the candidate of better_candidate() won six rounds of seven, or,
/// if it is the incumbent, no other won more than half of them.
[[nodiscard]] bool is_clear(const std::vector<double>& times, std::size_t candidates, std::size_t incumbent,
                            std::size_t better);

}  // namespace ayatori
