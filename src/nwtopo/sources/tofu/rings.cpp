#include "rings.hpp"

namespace ayatori::tofu {

Pair in_two_rows(std::uint64_t position, std::uint64_t length) {
  return position < length ? Pair{position, 0} : Pair{2 * length - 1 - position, 1};
}

std::uint64_t from_two_rows(Pair point, std::uint64_t length) {
  return point.second == 0 ? point.first : 2 * length - 1 - point.first;
}

Pair in_three_rows(std::uint64_t position, std::uint64_t length) {
  if (position < length) return {position, 0};
  const std::uint64_t position_in_others = position - length;
  const std::uint64_t steps_back = position_in_others / 2;
  return {length - 1 - steps_back, 1 + (steps_back + position_in_others) % 2};
}

std::uint64_t from_three_rows(Pair point, std::uint64_t length) {
  if (point.second == 0) return point.first;
  const std::uint64_t steps_back = length - 1 - point.first;
  return length + 2 * steps_back + (steps_back + point.second - 1) % 2;
}

Pair in_many_rows(std::uint64_t position, std::uint64_t length, std::uint64_t width) {
  if (width == 1) return {position, 0};
  if (position == 0) return {0, 0};
  const std::uint64_t rows = width - 1;
  const std::uint64_t step = position - 1;
  if (step >= length * rows) return {length * width - position, 0};
  const std::uint64_t column = step / rows;
  const std::uint64_t row = step % rows;
  return {column, column % 2 == 0 ? 1 + row : rows - row};
}

std::uint64_t from_many_rows(Pair point, std::uint64_t length, std::uint64_t width) {
  const auto [column, row] = point;
  if (width == 1 || (column == 0 && row == 0)) return column;
  if (row == 0) return length * width - column;
  const std::uint64_t rows = width - 1;
  return 1 + column * rows + (column % 2 == 0 ? row - 1 : rows - row);
}

}  // namespace ayatori::tofu
