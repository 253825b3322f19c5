#pragma once
/// \file
/// A barrier by dissemination (Hensgen, Finkel, Manber 1988): in round k each rank tells the one 2^k above it, and
/// waits for the one 2^k below; after the rounds that it takes to reach everybody, everybody has come.

#include <array>
#include <cstdint>

#include "ayatori/base/ids.hpp"

namespace ayatori::onesided {

class Barrier {
 public:
  Barrier(Rank self, Rank procs) : self_(self), procs_(procs) {}

  /// One after the other; each rank starts as many.
  void start() {
    ++started_;
    round_ = 0;
    told_ = false;
  }

  /// A peer has come so far. It may be one barrier ahead.
  void arrived(std::uint64_t round) {
    if (round < max_rounds) ++arrivals_[round];
  }

  /// Goes on as far as it can. `tell(rank, round)` says false if it must be tried again later.
  template <typename Tell>
  void progress(Tell tell) {
    while (!done()) {
      if (!told_ && !tell(partner(true), round_)) return;
      told_ = true;
      if (arrivals_[round_] < started_) return;
      ++round_;
      told_ = false;
    }
  }

  [[nodiscard]] bool done() const { return started_ == 0 || std::uint64_t{1} << round_ >= procs_; }

  /// Who is waited for, while it is not done.
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
  bool told_ = false;
  std::array<std::uint64_t, max_rounds> arrivals_{};
};

}  // namespace ayatori::onesided
