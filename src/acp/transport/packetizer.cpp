#include "packetizer.hpp"

#include <algorithm>
#include <cstring>

namespace ayatori::transport {

void Packetizer::cut(const OutgoingMessage& message, std::uint32_t number, Packet& packet) const {
  packet.message = message.kind;
  packet.unordered = message.unordered;
  packet.payload = message.bytes;
  if (message.packets == 1) return;
  const std::uint64_t offset = number * chunk_;
  packet.payload = message.bytes.subspan(offset, std::min<Bytes>(chunk_, message.bytes.size() - offset));
  packet.fragment = Fragment{message.bytes.size(), offset, number};
}

std::uint32_t Packetizer::last_that_fits(std::uint32_t first, const MessageSlots& slots) const {
  const auto may_share = [&](const OutgoingMessage& message) {
    return message.kind == MessageKind::plain && message.packets == 1 && message.unordered == slots[first].unordered;
  };
  if (!may_share(slots[first])) return first;
  std::uint32_t last = first;
  Bytes filled = size_bytes + slots[first].bytes.size();
  for (std::uint32_t slot = slots[first].next; slot != no_id && may_share(slots[slot]); slot = slots[slot].next) {
    filled += size_bytes + slots[slot].bytes.size();
    if (filled > payload_) break;
    last = slot;
  }
  return last;
}

void Packetizer::coalesce(std::uint32_t first, std::uint32_t last, const MessageSlots& slots, Packet& packet) {
  coalesced_.resize(payload_);
  std::byte* end = coalesced_.data();
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
  packet.payload = {coalesced_.data(), end};
}

}  // namespace ayatori::transport
