#include "outbox.hpp"

namespace ayatori::transport {

Outbox::Outbox(Shared& shared)
    : slots(shared.options.messages, shared.options.replies),
      calls(shared.options, slots),
      shared_(shared),
      packetizer_(shared.options.datagram_bytes) {}

std::uint32_t Outbox::take(std::span<const std::byte> message, Token token, bool unordered) {
  const std::uint32_t slot = slots.take(MessageKind::plain);
  slots[slot].bytes = message;
  slots[slot].token = token;
  slots[slot].unordered = unordered;
  slots[slot].packets = packetizer_.packets(message.size());
  return slot;
}

void Outbox::give_back(std::uint32_t slot) {
  slots.give_back(slot);
  freed = true;
}

void Outbox::enqueue(OutgoingFlow& flow, PeerId peer, std::uint32_t slot) {
  slots[slot].to = peer;
  flow.queue.push(slot, slots);
  if (flow.has_unsent()) return;
  flow.unsent = slot;
  flow.unsent_packet = 0;
}

// ---- Packets

void Outbox::assign(const OutgoingFlow& flow, Sequence sequence) {
  const std::uint32_t first = flow.unsent;
  const std::uint32_t last = shared_.options.coalesce ? packetizer_.last_that_fits(first, slots) : first;
  slots[first].last_coalesced = last;
  for (std::uint32_t slot = first;; slot = slots[slot].next) {
    slots[slot].first = sequence;
    if (slot == last) return;
  }
}

std::uint32_t Outbox::advance_unsent(OutgoingFlow& flow) {
  const std::uint32_t slot = flow.unsent;
  if (++flow.unsent_packet == slots[slot].packets) {
    flow.unsent = slots[slots[slot].last_coalesced].next;
    flow.unsent_packet = 0;
  }
  return slot;
}

/// Goes from packet to packet, not from message to message.
std::uint32_t Outbox::slot_of(const OutgoingFlow& flow, Sequence sequence) const {
  std::uint32_t slot = flow.queue.head;
  while (sequence >= slots[slot].first + slots[slot].packets) slot = slots[slots[slot].last_coalesced].next;
  return slot;
}

void Outbox::load(Packet& packet, const OutgoingFlow& flow, std::uint32_t slot, Sequence sequence) {
  packet.kind = PacketKind::data;
  packet.sequence = sequence;
  packet.more = flow.has_unsent() || flow.window.first_lost().has_value();
  const OutgoingMessage& message = slots[slot];
  if (message.last_coalesced == slot) {
    packetizer_.cut(message, sequence - message.first, packet);
  } else {
    packetizer_.coalesce(slot, message.last_coalesced, slots, packet);
  }
}

bool Outbox::may_travel_express(const OutgoingFlow& flow) const {
  if (!flow.express.usable() || !flow.has_unsent() || flow.unsent != flow.queue.head) return false;
  const OutgoingMessage& first = slots[flow.unsent];
  return first.packets == 1 && first.kind != MessageKind::call;
}

// ---- Acknowledgements

void Outbox::acknowledge_arrived(OutgoingFlow& flow, Time now) {
  while (!flow.queue.empty() && flow.queue.head != flow.unsent) {
    const OutgoingMessage& message = slots[flow.queue.head];
    if (message.first + message.packets > flow.window.acknowledged()) return;
    complete(flow.queue.pop(slots), now);
  }
}

void Outbox::acknowledge_express(OutgoingFlow& flow, Time now) {
  const std::uint32_t last = slots[flow.unsent].last_coalesced;
  std::uint32_t slot = no_id;
  while (slot != last) {
    slot = flow.queue.pop(slots);
    complete(slot, now);
  }
  flow.unsent = flow.queue.head;
}

void Outbox::complete(std::uint32_t slot, Time now) {
  const OutgoingMessage& message = slots[slot];
  if (message.kind == MessageKind::call && !message.answered) return calls.delivered(slot, now);
  if (message.kind == MessageKind::plain) {
    shared_.events.push_back({.kind = Event::Kind::acknowledged, .token = message.token});
  }
  give_back(slot);
}

void Outbox::fail_all(OutgoingFlow& flow) {
  while (!flow.queue.empty()) {
    const std::uint32_t slot = flow.queue.pop(slots);
    const OutgoingMessage& message = slots[slot];
    if (message.kind != MessageKind::reply && !message.answered) {
      shared_.events.push_back({.kind = Event::Kind::failed, .token = message.token});
    }
    give_back(slot);
  }
}

}  // namespace ayatori::transport
