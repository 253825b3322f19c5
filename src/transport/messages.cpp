#include "messages.hpp"

#include <algorithm>
#include <utility>

namespace ayatori::transport {

MessageSlots::MessageSlots(std::uint32_t capacity) : slots_(capacity) {
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
  slots_[slot].next = std::exchange(free_, slot);
  --used_;
}

void MessageQueue::push(std::uint32_t slot, MessageSlots& slots) {
  slots[slot].next = no_id;
  (tail == no_id ? head : slots[tail].next) = slot;
  tail = slot;
}

std::uint32_t MessageQueue::pop(MessageSlots& slots) {
  const std::uint32_t slot = std::exchange(head, slots[head].next);
  if (head == no_id) tail = no_id;
  return slot;
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

}  // namespace ayatori::transport
