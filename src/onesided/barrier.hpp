#pragma once
/// \file
/// A dissemination barrier (Hensgen, Finkel, Manber 1988): in round k each rank notifies rank + 2^k and waits for
/// rank - 2^k, modulo the number of ranks. After ceil(log2(ranks)) rounds, all ranks have arrived.

#include <array>
#include <cstdint>

#include "ayatori/base/ids.hpp"

namespace ayatori::onesided {

class Barrier {
 public:
  Barrier(Rank self, Rank procs) : self_(self), procs_(procs) {}

  /// Starts the next barrier. The last one is done.
  void start() {
    ++started_;
    round_ = 0;
    notified_ = false;
  }

  /// A peer has notified this rank of a round. It may be one barrier ahead.
  void arrived(std::uint64_t round) {
    if (round < max_rounds) ++arrivals_[round];
  }

  /// Goes on as far as possible. `notify(rank, round)` returns false if it must be tried again later.
  template <typename Notify>
  void progress(Notify notify) {
    while (!done()) {
      if (!notified_ && !notify(partner(true), round_)) return;
      notified_ = true;
      if (arrivals_[round_] < started_) return;
      ++round_;
      notified_ = false;
    }
  }

  [[nodiscard]] bool done() const { return started_ == 0 || std::uint64_t{1} << round_ >= procs_; }

  /// The rank that is waited for. The barrier is not done.
  [[nodiscard]] Rank awaited() const { return partner(false); }

 private:
  static constexpr std::uint32_t max_rounds = 32;

  [[nodiscard]] Rank partner(bool above) const {
    const std::uint64_t distance = std::uint64_t{1} << round_;
    return static_cast<Rank>((self_ + (above ? distance : procs_ - distance)) % procs_);
  }

  Rank self_;
  Rank procs_;
  std::uint64_t started_ = 0;
  std::uint32_t round_ = 0;
  bool notified_ = false;
  std::array<std::uint64_t, max_rounds> arrivals_{};
};

}  // namespace ayatori::onesided
