#include "ayatori/progress/tag_blocks.hpp"

#include <algorithm>
#include <bit>

namespace ayatori {

namespace {

constexpr std::uint32_t bits = 64;
constexpr int fewest_tags = 1024;  ///< of a block: a schedule has at most some hundred streams

std::uint64_t bit_of(std::uint32_t block) { return std::uint64_t{1} << (block % bits); }

}  // namespace

TagBlocks::TagBlocks(int last_tag) {
  const std::int64_t all = std::int64_t{last_tag} + 1;
  const auto count = static_cast<std::uint32_t>(std::clamp<std::int64_t>(all / fewest_tags, 1, max_count));
  tags_ = static_cast<int>(all / count);
  for (std::uint32_t block = 0; block < count; ++block) free_[block / bits] |= bit_of(block);
}

TagBlocks::Mask TagBlocks::free_blocks() const {
  const std::lock_guard lock(mutex_);
  return free_;
}

std::optional<std::uint32_t> TagBlocks::lowest(const Mask& mask) {
  for (std::uint32_t word = 0; word < mask.size(); ++word) {
    if (mask[word] != 0) return word * bits + static_cast<std::uint32_t>(std::countr_zero(mask[word]));
  }
  return std::nullopt;
}

bool TagBlocks::take(std::uint32_t block) {
  const std::lock_guard lock(mutex_);
  std::uint64_t& word = free_[block / bits];
  if ((word & bit_of(block)) == 0) return false;
  word &= ~bit_of(block);
  return true;
}

void TagBlocks::give_back(std::uint32_t block) {
  const std::lock_guard lock(mutex_);
  free_[block / bits] |= bit_of(block);
}

}  // namespace ayatori
