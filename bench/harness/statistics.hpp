#pragma once
/// \file
/// What is printed of many measurements.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace ayatori::bench {

/// The value that a share `part` (0 to 1) of the values does not exceed. There is at least one value.
inline double quantile(std::vector<double> values, double part) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size() - 1));
  std::ranges::nth_element(values, at);
  return *at;
}

inline double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace ayatori::bench
