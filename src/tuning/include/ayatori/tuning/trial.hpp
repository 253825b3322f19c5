#pragma once
/// \file
/// Which of some ways to play a call is the fastest? The first calls take turns, and their times are compared.

#include <cstddef>
#include <vector>

namespace ayatori {

/// Takes no time of its own: times are handed in. All ranks hold one for the same calls, and hand each other their
/// medians before they choose, so that all choose alike.
class Trial {
 public:
  /// Way 0 is the MPI's own. After one turn of each that is not counted, each has `rounds` turns.
  explicit Trial(std::size_t ways, std::size_t rounds = 7);

  /// Whose turn it is; precondition: not over().
  [[nodiscard]] std::size_t turn() const { return calls_ % times_.size(); }
  /// The call took `seconds`; it is the next one's turn.
  void note(double seconds);
  [[nodiscard]] bool over() const { return calls_ == times_.size() * (rounds_ + 1); }

  /// By way: the median of its times. After over().
  [[nodiscard]] std::vector<double> medians() const;

 private:
  std::size_t rounds_;
  std::size_t calls_ = 0;
  std::vector<std::vector<double>> times_;
};

/// The way with the smallest time; way 0 unless another one is at least 3% faster, and then its number. `medians` are
/// the largest of all ranks, by way.
[[nodiscard]] std::size_t fastest_way(const std::vector<double>& medians);

}  // namespace ayatori
