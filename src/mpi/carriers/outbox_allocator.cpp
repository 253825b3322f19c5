#include "outbox_allocator.hpp"

#include "segment_layout.hpp"

namespace ayatori {

std::optional<std::uint32_t> OutboxAllocator::fit(std::uint32_t bytes) {
  const std::uint32_t needed = (bytes + cache_line - 1) / cache_line * cache_line;
  if (needed > bytes_) return std::nullopt;
  std::uint32_t begin = next_;
  if (entries_.empty()) {
    if (needed > bytes_ - begin) begin = 0;
  } else {
    const std::uint32_t oldest = entries_.front().begin;
    const bool wrapped = next_ <= oldest;
    if (wrapped) {
      if (needed > oldest - begin) return std::nullopt;
    } else if (needed > bytes_ - begin) {
      begin = 0;
      if (needed > oldest) return std::nullopt;
    }
  }
  next_ = begin + needed;
  entries_.push({begin, 0, true});
  return begin_ + begin;
}

}  // namespace ayatori
