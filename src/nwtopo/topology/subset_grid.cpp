#include "subset_grid.hpp"

#include "ayatori/network/interval.hpp"

namespace ayatori {

namespace {

/// The coordinates that occur, one row a dimension.
std::vector<std::vector<bool>> used_coordinates(const std::vector<std::uint32_t>& lengths,
                                                std::span<const std::uint64_t> points) {
  std::vector<std::vector<bool>> used;
  for (const std::uint32_t length : lengths) used.emplace_back(length);
  for (std::uint64_t point : points) {
    for (std::size_t i = lengths.size(); i-- > 0; point /= lengths[i]) used[i][point % lengths[i]] = true;
  }
  return used;
}

}  // namespace

GridBox::GridBox(const GridShape& base, std::span<const std::uint64_t> points) : lengths_(base.dimensions) {
  const auto used = used_coordinates(lengths_, points);
  shape_.whole = base.whole.empty() ? base.dimensions : base.whole;
  for (std::size_t i = 0; i < lengths_.size(); ++i) {
    const Interval interval = shortest_around(used[i], base.periodic[i]);
    start_.push_back(interval.start);
    shape_.dimensions.push_back(interval.length);
    shape_.periodic.push_back(base.periodic[i] && interval.length == lengths_[i]);
    const std::uint64_t reference = std::uint64_t{base.reference[i]} + interval.start;
    shape_.reference.push_back(static_cast<std::uint32_t>(reference % shape_.whole[i]));
  }
  if (shape_.dimensions == shape_.whole) shape_.whole.clear();
  shape_.dense = shape_.points() == points.size();
  shape_.regular = base.regular && shape_.dense;
}

std::uint64_t GridBox::to_base(std::uint64_t point) const {
  std::uint64_t found = 0;
  std::uint64_t stride = 1;
  for (std::size_t i = lengths_.size(); i-- > 0; stride *= lengths_[i]) {
    const std::uint64_t length = shape_.dimensions[i];
    found += (point % length + start_[i]) % lengths_[i] * stride;
    point /= length;
  }
  return found;
}

bool GridBox::contains(std::uint64_t point) const {
  for (std::size_t i = lengths_.size(); i-- > 0; point /= lengths_[i]) {
    const std::uint64_t length = lengths_[i];
    if ((point % length + length - start_[i]) % length >= shape_.dimensions[i]) return false;
  }
  return true;
}

std::uint64_t GridBox::from_base(std::uint64_t point) const {
  std::uint64_t found = 0;
  std::uint64_t stride = 1;
  for (std::size_t i = lengths_.size(); i-- > 0; stride *= shape_.dimensions[i]) {
    const std::uint64_t length = lengths_[i];
    found += (point % length + length - start_[i]) % length * stride;
    point /= length;
  }
  return found;
}

}  // namespace ayatori
