#include "message_slots.hpp"

#include <utility>

namespace ayatori::transport {

MessageSlots::MessageSlots(std::uint32_t messages, std::uint32_t replies)
    : slots_(messages + replies), operations_(messages + replies), messages_(messages) {
  for (std::uint32_t slot = capacity(); slot-- > 0;) slots_[slot].next = std::exchange(free_, slot);
}

std::uint32_t MessageSlots::take(MessageKind kind) {
  const std::uint32_t slot = std::exchange(free_, slots_[free_].next);
  const std::uint32_t generation = slots_[slot].generation + 1;
  slots_[slot] = {};
  slots_[slot].generation = generation;
  slots_[slot].kind = kind;
  ++used_;
  if (kind == MessageKind::reply) ++replies_;
  return slot;
}

void MessageSlots::give_back(std::uint32_t slot) {
  if (slots_[slot].kind == MessageKind::reply) --replies_;
  ++slots_[slot].generation;
  slots_[slot].awaiting = false;
  slots_[slot].kind = MessageKind::plain;  // a late reply finds no call here
  slots_[slot].next = std::exchange(free_, slot);
  --used_;
}

}  // namespace ayatori::transport
