#pragma once
/// \file
/// Which coordinates along one dimension of a grid a job or a subset spans.

#include <cstdint>
#include <vector>

namespace ayatori {

/// Coordinates start, start + 1, …, modulo the dimension's length.
struct Interval {
  std::uint32_t start = 0;
  std::uint32_t length = 0;
};

/// The shortest interval around all that are `used`, of which there is at least one. In a ring it may go over the end:
/// it is what is left when the largest gap is taken out, the first of several as large.
[[nodiscard]] Interval shortest_around(const std::vector<bool>& used, bool ring);

}  // namespace ayatori
