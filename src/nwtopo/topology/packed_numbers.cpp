#include "packed_numbers.hpp"

#include <bit>

namespace ayatori::image {

namespace {

/// Whether every number of the block is the one `period` before it and the same stride more.
bool has_period(std::span<const std::uint32_t> block, std::size_t period) {
  if (period == block.size()) return true;
  const std::uint32_t stride = block[period] - block[0];
  if (stride >> (32 - period_bits) != 0) return false;
  for (std::size_t i = period + 1; i < block.size(); ++i) {
    if (block[i] - block[i - period] != stride) return false;
  }
  return true;
}

class Packer {
 public:
  Packer(std::uint32_t greatest, unsigned block_bits) {
    packing_.format.entry_bits = static_cast<std::uint8_t>(std::bit_width(greatest));
    packing_.format.block_bits = static_cast<std::uint8_t>(block_bits);
  }

  void add(std::span<const std::uint32_t> block) {
    std::size_t period = 1;
    while (!has_period(block, period)) ++period;
    const std::uint32_t stride = period < block.size() ? block[period] - block[0] : 0;
    const std::uint32_t start = place_of(block.first(period));
    packing_.blocks.push_back({start, static_cast<std::uint32_t>(period) | stride << period_bits});
  }

  NumberPacking finish() {
    for (; bits_ > 0; bits_ -= std::min(bits_, 8U), rest_ >>= 8) {
      packing_.entries.push_back(static_cast<std::uint8_t>(rest_));
    }
    packing_.entries.resize(packing_.entries.size() + entry_padding);
    return std::move(packing_);
  }

 private:
  /// Where these entries stand: blocks of one kind follow each other, and share theirs.
  std::uint32_t place_of(std::span<const std::uint32_t> entries) {
    if (last_.size() >= entries.size() && std::ranges::equal(std::span(last_).last(entries.size()), entries)) {
      return written_ - static_cast<std::uint32_t>(entries.size());
    }
    const std::uint32_t start = written_;
    for (const std::uint32_t entry : entries) write(entry);
    written_ += static_cast<std::uint32_t>(entries.size());
    last_.assign(entries.begin(), entries.end());
    return start;
  }

  void write(std::uint32_t entry) {
    rest_ |= std::uint64_t{entry} << bits_;
    for (bits_ += packing_.format.entry_bits; bits_ >= 8; bits_ -= 8, rest_ >>= 8) {
      packing_.entries.push_back(static_cast<std::uint8_t>(rest_));
    }
  }

  NumberPacking packing_;
  std::vector<std::uint32_t> last_;  // entries of the last block that has its own
  std::uint32_t written_ = 0;
  std::uint64_t rest_ = 0;  // what does not fill a byte yet
  unsigned bits_ = 0;       // of it
};

NumberPacking pack_in_blocks(std::span<const std::uint32_t> numbers, unsigned block_bits) {
  Packer packer(numbers.empty() ? 0 : std::ranges::max(numbers), block_bits);
  const std::size_t size = std::size_t{1} << block_bits;
  for (std::size_t begin = 0; begin < numbers.size(); begin += size) {
    packer.add(numbers.subspan(begin, std::min(size, numbers.size() - begin)));
  }
  return packer.finish();
}

}  // namespace

NumberPacking pack(std::span<const std::uint32_t> numbers) {
  NumberPacking best = pack_in_blocks(numbers, 3);
  for (unsigned block_bits = 4; block_bits <= max_block_bits; ++block_bits) {
    NumberPacking other = pack_in_blocks(numbers, block_bits);
    if (other.bytes() < best.bytes()) best = std::move(other);
  }
  return best;
}

}  // namespace ayatori::image
