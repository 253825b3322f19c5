#pragma once
/// \file
/// The smallest box around some points of a grid.

#include <span>
#include <vector>

#include "ayatori/topology/topology.hpp"

namespace ayatori {

/// A part of a grid, and how its points lie in the grid that it was cut from.
class GridBox {
 public:
  /// Around the edge where a dimension is periodic and that is shorter; from the lowest start of several. Dense if
  /// there are as many points, each once, as the box has.
  GridBox(const GridShape& base, std::span<const std::uint64_t> points);

  [[nodiscard]] const GridShape& shape() const { return shape_; }
  [[nodiscard]] std::uint64_t to_base(std::uint64_t point) const;
  /// Whether a point of the base lies in the box.
  [[nodiscard]] bool contains(std::uint64_t point) const;
  /// Of a base point inside the box.
  [[nodiscard]] std::uint64_t from_base(std::uint64_t point) const;
  [[nodiscard]] std::size_t bytes() const {
    return sizeof *this + shape_.dimensions.size() * 6 * sizeof(std::uint32_t);
  }

 private:
  std::vector<std::uint32_t> lengths_;  // of the base
  std::vector<std::uint32_t> start_;    // in the base
  GridShape shape_;
};

}  // namespace ayatori
