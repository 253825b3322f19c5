/// A random system of linear equations, any element of which is computed by itself: every process makes its own
/// columns.
#pragma once

#include <cstdint>

namespace ayatori::hpl {

class LinearSystem {
 public:
  LinearSystem(int order, std::uint64_t seed) : order_(order), seed_(seed) {}

  [[nodiscard]] int order() const { return order_; }

  /// Element of row `i` and column `j`; column order() is the right-hand side. Uniform in -0.5 to 0.5.
  [[nodiscard]] double element(int i, int j) const {
    const auto place =
        static_cast<std::uint64_t>(j) * static_cast<std::uint64_t>(order_) + static_cast<std::uint64_t>(i);
    return static_cast<double>(mixed(mixed(seed_) + place) >> 11) * 0x1p-53 - 0.5;
  }

  void column(int j, double* values) const {
    for (int i = 0; i < order_; ++i) values[i] = element(i, j);
  }

 private:
  /// SplitMix64.
  static std::uint64_t mixed(std::uint64_t value) {
    value += 0x9e3779b97f4a7c15;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
    return value ^ (value >> 31);
  }

  int order_;
  std::uint64_t seed_;
};

}  // namespace ayatori::hpl
