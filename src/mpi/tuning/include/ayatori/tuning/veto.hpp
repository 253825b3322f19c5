#pragma once
/// \file
/// Whether an algorithm that a table chose is slower than the MPI's own in this job: one comparison, at the first
/// calls.

#include <cstddef>
#include <vector>

namespace ayatori {

/// Whether `more` of `more + less` comparisons with equal chances would come out so with a probability of at most 0.01:
/// a one-sided sign test. Ties are in neither number.
[[nodiscard]] bool is_significant(std::size_t more, std::size_t less);

/// The two executors of a call alternate in pairs of calls. Reads no clock: times are handed in. All ranks of a
/// communicator hold one for the same calls, and agree on the numbers of all.
class Veto {
 public:
  static constexpr std::size_t pairs = 20;

  /// Whether ours executes the next call. The first of a pair is ours in every second pair. Precondition: not over().
  [[nodiscard]] bool is_ours() const { return calls_ % 2 == (calls_ / 2) % 2; }
  /// The next call was made between these times, in seconds, on this rank. `disturbed`: another process took its core.
  /// The first pair is not compared: it makes what later calls use again.
  void note(double begin, double end, bool disturbed);
  [[nodiscard]] bool over() const { return calls_ == 2 * (pairs + 1); }

  /// After over(): of this rank. All ranks hand in the largest of each on any of them.
  [[nodiscard]] const std::vector<double>& numbers() const { return numbers_; }
  /// Whether ours took longer in significantly many of the pairs that nobody disturbed. `largest`: of numbers().
  /// `one_clock`: all ranks have the same clock, so that times count from the last arrival, not from each rank's own.
  [[nodiscard]] static bool is_slower(const std::vector<double>& largest, bool one_clock);

 private:
  std::size_t calls_ = 0;
  std::vector<double> numbers_;  ///< by call: begin, end, their difference, whether it was disturbed
};

}  // namespace ayatori
