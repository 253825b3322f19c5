#include "outbox_room.hpp"

#include "segment_layout.hpp"

namespace ayatori {

std::optional<std::uint32_t> OutboxRoom::fit(std::uint32_t bytes) {
  const std::uint32_t room = (bytes + cache_line - 1) / cache_line * cache_line;
  if (room > bytes_) return std::nullopt;
  std::uint32_t begin = next_;
  if (entries_.empty()) {
    if (room > bytes_ - begin) begin = 0;
  } else {
    const std::uint32_t oldest = entries_.front().begin;
    const bool wrapped = next_ <= oldest;
    if (wrapped) {
      if (room > oldest - begin) return std::nullopt;
    } else if (room > bytes_ - begin) {
      begin = 0;
      if (room > oldest) return std::nullopt;
    }
  }
  next_ = begin + room;
  entries_.push({begin, 0, true});
  return begin_ + begin;
}

}  // namespace ayatori
