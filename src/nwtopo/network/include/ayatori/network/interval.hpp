#pragma once
/// \file
/// The coordinates that a job or a subset spans along one dimension of a grid.

#include <cstdint>
#include <vector>

namespace ayatori {

/// Coordinates start, start + 1, …, modulo the dimension's length.
struct Interval {
  std::uint32_t start = 0;
  std::uint32_t length = 0;
};

/// The shortest interval that contains every coordinate that is `used`; at least one must be. In a ring the interval
/// may wrap around: it is the ring without its largest gap, or without the first of several gaps of that size.
[[nodiscard]] Interval shortest_around(const std::vector<bool>& used, bool ring);

}  // namespace ayatori
