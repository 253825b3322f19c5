#pragma once
/// \file
/// Numbers of an image that repeat or rise evenly, in blocks: neighbouring links lead to neighbouring places. The i-th
/// number of a block is
///
///     entry(start + i % period) + stride * (i / period)
///
/// where a block without any pattern has as many entries as numbers. Entries have as many bits as the greatest needs,
/// and blocks are of the length that takes the fewest bytes.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "image_array.hpp"
#include "image_layout.hpp"

namespace ayatori::image {

inline constexpr unsigned period_bits = 7;
inline constexpr unsigned max_block_bits = 6;  ///< a block has at most 2^6 numbers
static_assert(1U << max_block_bits < 1U << period_bits);

/// Entries are read as words that begin at any byte: as many bytes follow the last one.
inline constexpr std::size_t entry_padding = sizeof(std::uint64_t);

/// Reads them. Whatever the bytes say, nothing outside of them is read.
class PackedNumbers {
 public:
  PackedNumbers() = default;
  PackedNumbers(Array<NumberBlock> blocks, Array<std::uint8_t> entries, NumberFormat format, std::size_t count)
      : blocks_(blocks),
        entries_(entries.span()),
        width_(std::min<unsigned>(format.entry_bits, 32)),
        block_bits_(std::min<unsigned>(format.block_bits, max_block_bits)),
        count_(count) {}

  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  /// Whether there are as many blocks as the numbers need.
  [[nodiscard]] bool is_complete() const {
    return blocks_.size() == (count_ + (std::size_t{1} << block_bits_) - 1) >> block_bits_;
  }

  [[nodiscard]] std::uint32_t operator[](std::size_t i) const {
    const NumberBlock block = blocks_[i >> block_bits_];
    const std::uint32_t period = std::max(block.pattern & ((1U << period_bits) - 1), 1U);
    const std::uint32_t stride = block.pattern >> period_bits;
    const auto place = static_cast<std::uint32_t>(i & ((std::size_t{1} << block_bits_) - 1));
    if (period == 1) return entry(block.start) + stride * place;
    if (place < period) return entry(std::size_t{block.start} + place);
    return entry(std::size_t{block.start} + place % period) + stride * (place / period);
  }

 private:
  [[nodiscard]] std::uint32_t entry(std::size_t index) const {
    const std::size_t bit = index * width_;
    std::uint64_t word = 0;
    if (bit / 8 + sizeof word > entries_.size()) return 0;
    std::memcpy(&word, entries_.data() + bit / 8, sizeof word);
    return static_cast<std::uint32_t>(word >> bit % 8 & ((std::uint64_t{1} << width_) - 1));
  }

  Array<NumberBlock> blocks_;
  std::span<const std::uint8_t> entries_;
  unsigned width_ = 0;
  unsigned block_bits_ = 0;
  std::size_t count_ = 0;
};

/// Numbers as an image stores them.
struct NumberPacking {
  std::vector<NumberBlock> blocks;
  std::vector<std::uint8_t> entries;
  NumberFormat format;

  [[nodiscard]] std::size_t bytes() const { return blocks.size() * sizeof(NumberBlock) + entries.size(); }
};

[[nodiscard]] NumberPacking pack(std::span<const std::uint32_t> numbers);

}  // namespace ayatori::image
