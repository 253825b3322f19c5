#include "messages.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ayatori::transport {

MessageSlots::MessageSlots(std::uint32_t capacity) : slots_(capacity), operations_(capacity) {
  for (std::uint32_t slot = capacity; slot-- > 0;) slots_[slot].next = std::exchange(free_, slot);
}

std::optional<std::uint32_t> MessageSlots::take() {
  if (free_ == no_id) return std::nullopt;
  const std::uint32_t slot = std::exchange(free_, slots_[free_].next);
  const std::uint32_t generation = slots_[slot].generation + 1;
  slots_[slot] = {};
  slots_[slot].generation = generation;
  ++used_;
  return slot;
}

void MessageSlots::give_back(std::uint32_t slot) {
  ++slots_[slot].generation;
  slots_[slot].awaiting = false;
  slots_[slot].kind = MessageKind::plain;  // no call that a reply could be for
  slots_[slot].next = std::exchange(free_, slot);
  --used_;
}

void Cutter::cut(const OutgoingMessage& message, std::uint32_t number, Packet& packet) const {
  packet.message = message.kind;
  packet.unordered = message.unordered;
  packet.payload = message.bytes;
  if (message.packets == 1) return;
  const std::uint64_t offset = number * piece_;
  packet.payload = message.bytes.subspan(offset, std::min<Bytes>(piece_, message.bytes.size() - offset));
  packet.fragment = Fragment{message.bytes.size(), offset, number};
}

std::uint32_t Cutter::last_that_fits(std::uint32_t first, const MessageSlots& slots) const {
  const auto may_share = [&](const OutgoingMessage& message) {
    return message.kind == MessageKind::plain && message.packets == 1 && message.unordered == slots[first].unordered;
  };
  if (!may_share(slots[first])) return first;
  std::uint32_t last = first;
  Bytes filled = size_bytes + slots[first].bytes.size();
  for (std::uint32_t slot = slots[first].next; slot != no_id && may_share(slots[slot]); slot = slots[slot].next) {
    filled += size_bytes + slots[slot].bytes.size();
    if (filled > whole_) break;
    last = slot;
  }
  return last;
}

void Cutter::gather(std::uint32_t first, std::uint32_t last, const MessageSlots& slots, Packet& packet) {
  gathered_.resize(whole_);
  std::byte* end = gathered_.data();
  for (std::uint32_t slot = first;; slot = slots[slot].next) {
    const auto bytes = slots[slot].bytes;
    *end++ = static_cast<std::byte>(bytes.size());
    *end++ = static_cast<std::byte>(bytes.size() >> 8);
    if (!bytes.empty()) std::memcpy(end, bytes.data(), bytes.size());
    end += bytes.size();
    if (slot == last) break;
  }
  packet.several = true;
  packet.unordered = slots[first].unordered;
  packet.payload = {gathered_.data(), end};
}

}  // namespace ayatori::transport
