#pragma once
/// \file
/// Neighbours on a grid of machines.

#include <vector>

#include "ayatori/schedule/placement.hpp"

namespace ayatori {

/// Points of a grid and the way along its axes longer than 1. The last coordinate runs fastest.
class GridPoints {
 public:
  explicit GridPoints(const Placement& placement) {
    std::uint32_t stride = 1;
    for (std::size_t i = placement.dimensions.size(); i-- > 0; stride *= placement.dimensions[i]) {
      if (placement.dimensions[i] > 1)
        axes_.insert(axes_.begin(), {placement.dimensions[i], stride, placement.periodic[i]});
    }
    points_ = stride;
  }

  [[nodiscard]] std::uint32_t size() const { return points_; }
  [[nodiscard]] std::uint32_t axes() const { return static_cast<std::uint32_t>(axes_.size()); }
  [[nodiscard]] std::uint32_t length(std::uint32_t axis) const { return axes_[axis].length; }
  [[nodiscard]] std::uint32_t coordinate(std::uint32_t point, std::uint32_t axis) const {
    return point / axes_[axis].stride % axes_[axis].length;
  }
  /// `by` steps up an axis, around its end, whether it is a ring or not.
  [[nodiscard]] std::uint32_t moved(std::uint32_t point, std::uint32_t axis, int by) const {
    const auto [length, stride, ring] = axes_[axis];
    const std::uint32_t here = coordinate(point, axis);
    const std::uint32_t there = (here + length + static_cast<std::uint32_t>(by + static_cast<int>(length))) % length;
    return point + there * stride - here * stride;
  }
  /// Whether a cable leads up (down) from here. A ring of 2 has one cable, upwards from 0.
  [[nodiscard]] bool has_cable(std::uint32_t point, std::uint32_t axis, bool up) const {
    const std::uint32_t here = coordinate(point, axis);
    if (here != (up ? length(axis) - 1 : 0)) return true;
    return axes_[axis].ring && length(axis) > 2;
  }

 private:
  struct Axis {
    std::uint32_t length;
    std::uint32_t stride;
    bool ring;
  };
  std::vector<Axis> axes_;
  std::uint32_t points_ = 1;
};

/// Factors of n as equal as they can be had by giving the largest prime to the smallest factor, the largest first.
[[nodiscard]] std::vector<std::uint32_t> balanced_lengths(Rank n, std::size_t factors);

}  // namespace ayatori
