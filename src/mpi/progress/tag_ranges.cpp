#include "ayatori/progress/tag_ranges.hpp"

namespace ayatori {

std::optional<int> TagRanges::take(int count) {
  const int begin = count - 1 > last_ - next_ ? first_ : next_;
  const int end = begin + (count - 1);
  auto after = taken_.upper_bound(end);
  if (after != taken_.begin() && (--after)->second >= begin) return std::nullopt;
  taken_.emplace(begin, end);
  next_ = end == last_ ? first_ : end + 1;
  return begin;
}

}  // namespace ayatori
