#pragma once
/// \file
/// Random numbers from a seed, the same on every machine and with every compiler. The caller chooses the seed and
/// prints it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

namespace ayatori {

/// xoshiro256** by Blackman and Vigna (https://prng.di.unimi.it), seeded through SplitMix64. Not safe for concurrent
/// use.
class Random {
 public:
  using result_type = std::uint64_t;

  explicit Random(std::uint64_t seed);

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }
  result_type operator()();

  /// Uniform in [0, bound), without modulo bias. `bound` must not be 0.
  std::uint64_t below(std::uint64_t bound);

  /// Uniform in [0, 1).
  double fraction();

  /// Fisher–Yates; std::shuffle differs between standard libraries.
  template <typename T>
  void shuffle(std::span<T> items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::array<std::uint64_t, 4> state_;
};

}  // namespace ayatori
