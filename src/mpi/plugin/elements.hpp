#pragma once
/// \file
/// Elements of an MPI datatype as bytes that follow each other, which is what schedules move. Buffers without gaps are
/// used where they are; others are packed into memory in between.

#include <mpi.h>

#include <concepts>
#include <cstdint>
#include <cstring>
#include <vector>

#include "ayatori/base/ids.hpp"
#include "compiled_call.hpp"

namespace ayatori::plugin {

/// What of a datatype decides how its elements lie in memory.
struct Layout {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  Bytes size = 0;         ///< bytes of one element without gaps
  MPI_Aint extent = 0;    ///< from one element to the next
  bool is_named = false;  ///< MPI_INT, …
  bool packed = false;    ///< elements that follow each other in a buffer are just their bytes, in order
};

/// Datatypes that MPI names are remembered: they never change.
[[nodiscard]] Layout layout_of(MPI_Datatype type);

/// `count` elements that follow each other, `displacement` extents after `address`.
struct Elements {
  const void* address = nullptr;
  Bytes count = 0;
  Layout layout;
  MPI_Aint displacement = 0;

  [[nodiscard]] Bytes bytes() const { return count * layout.size; }
  [[nodiscard]] std::byte* begin() const {
    return static_cast<std::byte*>(const_cast<void*>(address)) + displacement * layout.extent;
  }
};

/// Copies the elements' bytes to `to`, or from `from` into the elements.
void pack(const Elements& elements, std::byte* to);
void unpack(const std::byte* from, const Elements& elements);

/// From one buffer to another, of as many bytes.
void copy(const Elements& from, const Elements& to);

/// A buffer of the program as bytes, for one execution: packed in between if it has gaps.
class Bytewise {
 public:
  enum class Access : std::uint8_t { read, write, both };

  /// `must_copy`: use memory in between in any case.
  Bytewise(const Elements& elements, Access access, bool must_copy = false);
  [[nodiscard]] std::byte* begin() const { return begin_; }
  /// After the execution: writes back what was received.
  void finish() const;

 private:
  Elements elements_;
  Memory between_;
  std::byte* begin_;
  bool write_back_ = false;
};

/// Counts or displacements by rank: the program's array, of int or of MPI_Count and MPI_Aint.
class ByRank {
 public:
  template <std::signed_integral Integer>
  ByRank(const Integer* first, std::size_t ranks) : first_(first), ranks_(ranks), width_(sizeof(Integer)) {
    static_assert(sizeof(Integer) == sizeof(std::int32_t) || sizeof(Integer) == sizeof(std::int64_t));
  }

  [[nodiscard]] std::size_t size() const { return ranks_; }
  [[nodiscard]] std::int64_t operator[](std::size_t rank) const {
    return width_ == sizeof(std::int32_t) ? read<std::int32_t>(rank) : read<std::int64_t>(rank);
  }

 private:
  template <typename Integer>
  [[nodiscard]] Integer read(std::size_t rank) const {
    Integer value = 0;
    std::memcpy(&value, static_cast<const std::byte*>(first_) + rank * sizeof value, sizeof value);
    return value;
  }

  const void* first_;
  std::size_t ranks_;
  std::size_t width_;
};

/// Blocks of elements, one for each rank, each somewhere in the program's buffer (MPI_Gatherv, …) as bytes.
class BytewiseBlocks {
 public:
  /// `counts` and `displacements` (in extents) by rank.
  BytewiseBlocks(const void* address, const ByRank& counts, const ByRank& displacements, const Layout& layout,
                 Bytewise::Access access, bool must_copy = false);
  [[nodiscard]] std::span<std::byte* const> begins() const { return begins_; }
  [[nodiscard]] std::span<const Bytes> sizes() const { return sizes_; }
  void finish() const;

 private:
  [[nodiscard]] Elements block(std::size_t rank) const;

  const void* address_;
  ByRank counts_;
  ByRank displacements_;
  Layout layout_;
  Memory between_;
  std::vector<std::byte*> begins_;
  std::vector<Bytes> sizes_;
  bool write_back_ = false;
};

}  // namespace ayatori::plugin
