#pragma once
/// \file
/// The stencil of the programs here, without any communication: an array of N × N numbers, of which each step replaces
/// every element by the mean of its four neighbours. Outside of the array all is 0. The array is cut into blocks of
/// rows and columns, one a process; a block's field has a frame of one element, its halo, around it.

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace ayatori::bench {

enum class Side { left, right, up, down };
inline constexpr std::array all_sides{Side::left, Side::right, Side::up, Side::down};

inline Side opposite(Side side) {
  switch (side) {
    case Side::left:
      return Side::right;
    case Side::right:
      return Side::left;
    case Side::up:
      return Side::down;
    default:
      return Side::up;
  }
}

inline std::size_t index_of(Side side) { return static_cast<std::size_t>(side); }

/// Processes in rows and columns.
struct ProcessGrid {
  int rows = 1;
  int columns = 1;

  /// One dimension: a row of blocks, whose borders are columns of the array. Two: as square as can be.
  static ProcessGrid of(int processes, int dimensions) {
    if (dimensions == 1) return {1, processes};
    int rows = 1;
    for (int i = 1; i * i <= processes; ++i) {
      if (processes % i == 0) rows = i;
    }
    return {rows, processes / rows};
  }

  /// Nobody beyond the border of the array.
  [[nodiscard]] std::optional<int> neighbour(int rank, Side side) const {
    int row = rank / columns;
    int column = rank % columns;
    if (side == Side::left) --column;
    if (side == Side::right) ++column;
    if (side == Side::up) --row;
    if (side == Side::down) ++row;
    if (row < 0 || row >= rows || column < 0 || column >= columns) return std::nullopt;
    return row * columns + column;
  }
};

/// A process's part of the array: `rows` × `columns` elements from (`row`, `column`) on. Sizes differ by one where the
/// array can't be divided.
struct Block {
  std::size_t row = 0;
  std::size_t column = 0;
  std::size_t rows = 0;
  std::size_t columns = 0;

  static Block of(std::size_t n, const ProcessGrid& grid, int rank) {
    const auto [row, rows] = part(n, grid.rows, rank / grid.columns);
    const auto [column, columns] = part(n, grid.columns, rank % grid.columns);
    return {row, column, rows, columns};
  }

 private:
  static std::pair<std::size_t, std::size_t> part(std::size_t n, int parts, int which) {
    const auto begin = [&](int i) { return n * static_cast<std::size_t>(i) / static_cast<std::size_t>(parts); };
    return {begin(which), begin(which + 1) - begin(which)};
  }
};

/// A block before and after a step.
class Field {
 public:
  explicit Field(const Block& block)
      : block_(block), width_(block.columns + 2), now_((block.rows + 2) * width_), next_(now_.size()) {}

  /// Numbers without a pattern that a wrong neighbour could hide in.
  void reset() {
    std::fill(now_.begin(), now_.end(), 0.0);
    std::fill(next_.begin(), next_.end(), 0.0);
    for (std::size_t i = 1; i <= block_.rows; ++i) {
      for (std::size_t k = 1; k <= block_.columns; ++k) {
        const std::size_t at = (block_.row + i) * 1000003 + (block_.column + k) * 7919;
        now_[i * width_ + k] = static_cast<double>(at % 10007) / 10007;
      }
    }
  }

  /// Elements with all neighbours in the block, in rows; `between_rows` is called after each row.
  template <typename Function>
  void step_inside(Function between_rows) {
    for (std::size_t i = 2; i < block_.rows; ++i) {
      step(i, i + 1, 2, block_.columns);
      between_rows();
    }
  }

  /// The others, which need the halo.
  void step_at_edges() {
    step(1, 2, 1, block_.columns + 1);
    if (block_.rows > 1) step(block_.rows, block_.rows + 1, 1, block_.columns + 1);
    for (std::size_t i = 2; i < block_.rows; ++i) {
      step(i, i + 1, 1, 2);
      if (block_.columns > 1) step(i, i + 1, block_.columns, block_.columns + 1);
    }
  }

  void end_step() { now_.swap(next_); }

  /// Elements at a side of the block.
  [[nodiscard]] std::size_t length(Side side) const {
    return side == Side::left || side == Side::right ? block_.rows : block_.columns;
  }

  void pack(Side side, double* to) const {
    for (std::size_t i = 0; i < length(side); ++i) to[i] = now_[place(side, i, 0)];
  }
  void unpack(Side side, const double* from) {
    for (std::size_t i = 0; i < length(side); ++i) now_[place(side, i, 1)] = from[i];
  }

  [[nodiscard]] double at(std::size_t row, std::size_t column) const { return now_[(row + 1) * width_ + column + 1]; }

  /// All neighbours are added in the same order wherever an element is computed.
  void step(std::size_t begin_row, std::size_t end_row, std::size_t begin_column, std::size_t end_column) {
    for (std::size_t i = begin_row; i < end_row; ++i) {
      const double* const above = &now_[(i - 1) * width_];
      const double* const here = &now_[i * width_];
      const double* const below = &now_[(i + 1) * width_];
      double* const result = &next_[i * width_];
      for (std::size_t k = begin_column; k < end_column; ++k) {
        result[k] = 0.25 * (above[k] + below[k] + (here[k - 1] + here[k + 1]));
      }
    }
  }

 private:
  /// The `i`-th element of the side, or of the halo next to it (`outside` = 1).
  [[nodiscard]] std::size_t place(Side side, std::size_t i, std::size_t outside) const {
    if (side == Side::left) return (i + 1) * width_ + (1 - outside);
    if (side == Side::right) return (i + 1) * width_ + block_.columns + outside;
    if (side == Side::up) return (1 - outside) * width_ + i + 1;
    return (block_.rows + outside) * width_ + i + 1;
  }

  Block block_;
  std::size_t width_;
  std::vector<double> now_;
  std::vector<double> next_;
};

/// The whole array after `steps` steps, by one process, in the plainest way: what the programs must get.
inline std::vector<double> serial_result(std::size_t n, int steps) {
  Field start(Block{.rows = n, .columns = n});
  start.reset();
  std::vector<double> now((n + 2) * (n + 2));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) now[(i + 1) * (n + 2) + k + 1] = start.at(i, k);
  }
  std::vector<double> next(now.size());
  for (int step = 0; step < steps; ++step) {
    for (std::size_t i = 1; i <= n; ++i) {
      for (std::size_t k = 1; k <= n; ++k) {
        const std::size_t at = i * (n + 2) + k;
        next[at] = 0.25 * (now[at - (n + 2)] + now[at + (n + 2)] + (now[at - 1] + now[at + 1]));
      }
    }
    now.swap(next);
  }
  return now;
}

}  // namespace ayatori::bench
