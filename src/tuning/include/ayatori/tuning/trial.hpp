#pragma once
/// \file
/// Which of some ways to play a call is the fastest? The first calls take turns, and their times are compared.

#include <cstddef>
#include <vector>

namespace ayatori {

/// Takes no time of its own: times are handed in. All ranks hold one for the same calls, and hand each other their
/// times before they choose, so that all choose alike.
///
/// First each way plays one call, which is not counted but says how long calls take. Then each way has `rounds` turns
/// of several calls in a row, so many that a turn takes some 50 µs: of a call in which a rank waits for nobody its time
/// tells nothing (a root goes on at once, and the ranks that it serves wait in a later call), the mean of several does.
class Trial {
 public:
  /// Way 0 is the MPI's own.
  explicit Trial(std::size_t ways, std::size_t rounds = 7);

  /// Who plays the next call; precondition: not over().
  [[nodiscard]] std::size_t turn() const { return way_; }
  /// The call took `seconds`; the next call is next.
  void note(double seconds);

  /// True once, when every way has played its first call: all ranks hand in the longest of the times that first_time()
  /// says, by agree(), before the next call.
  [[nodiscard]] bool needs_agreement() const { return needs_agreement_; }
  /// The longest first call of any way, in seconds.
  [[nodiscard]] double first_time() const { return first_time_; }
  void agree(double first_time_of_all);

  [[nodiscard]] bool over() const { return round_ == rounds_; }

  /// By way: the median over its turns of the mean time of a call. After over().
  [[nodiscard]] std::vector<double> medians() const;

 private:
  void next_way();

  std::size_t rounds_;
  std::size_t calls_of_a_turn_ = 1;
  bool counts_ = false;  ///< the first calls are over
  bool needs_agreement_ = false;
  double first_time_ = 0;
  std::size_t round_ = 0;
  std::size_t way_ = 0;
  std::size_t calls_ = 0;  ///< of this turn
  double seconds_ = 0;     ///< that they took
  std::vector<std::vector<double>> times_;
};

/// The way with the smallest time; way 0 unless another one is at least 3% faster, and then its number. `medians` are
/// the largest of all ranks, by way.
[[nodiscard]] std::size_t fastest_way(const std::vector<double>& medians);

}  // namespace ayatori
