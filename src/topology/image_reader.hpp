#pragma once
/// \file
/// The sections of an image as arrays. Nothing outside of the bytes is ever read, whatever they say: what lies beyond
/// the end of an array reads as 0.

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/topology/topology.hpp"
#include "image_layout.hpp"

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

struct Reader {
  Header header;
  Array<char> names;
  Array<std::uint32_t> name_ends;
  Array<std::uint32_t> name_order;
  Array<std::uint64_t> ids;
  Array<Object> objects;
  Array<Other> others;
  Array<std::uint32_t> by_height;
  Array<std::uint32_t> height_ends;
  Array<Link> links;
  Array<std::uint16_t> neighbours;
  Array<std::uint32_t> owners;
  Array<LinkClass> classes;
  Array<Group> groups;
  Array<std::uint32_t> group_of;
  Array<std::uint32_t> members;
  Array<std::uint32_t> member_points;
  Array<std::uint32_t> by_point;
  Array<Dimension> dimensions;

  [[nodiscard]] std::string_view name(std::size_t index) const;
  /// A machine or router.
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> planes() const;
  /// Error: lengths that are 0 or make more than 2^32 points, more than 64 dimensions.
  [[nodiscard]] Result<GridShape> shape(std::size_t first, std::size_t count, bool dense) const;
};

/// Compares all that can be without reading on (see topology_of). Each section lies within the bytes.
[[nodiscard]] Result<Reader> read(std::span<const std::byte> bytes, std::string_view name, bool check);

}  // namespace ayatori::image
