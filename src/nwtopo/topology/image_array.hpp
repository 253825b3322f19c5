#pragma once
/// \file
/// A section of an image as an array. What lies beyond its end reads as 0.

#include <algorithm>
#include <cstddef>
#include <span>

namespace ayatori::image {

template <typename Record>
class Array {
 public:
  Array() = default;
  explicit Array(std::span<const Record> records) : records_(records) {}

  [[nodiscard]] std::size_t size() const { return records_.size(); }
  [[nodiscard]] bool empty() const { return records_.empty(); }
  [[nodiscard]] Record operator[](std::size_t i) const { return i < records_.size() ? records_[i] : Record{}; }
  [[nodiscard]] std::span<const Record> span() const { return records_; }
  /// The part that is there.
  [[nodiscard]] std::span<const Record> part(std::size_t first, std::size_t count) const {
    first = std::min(first, records_.size());
    return records_.subspan(first, std::min(count, records_.size() - first));
  }

 private:
  std::span<const Record> records_;
};

}  // namespace ayatori::image
