// Receiver, continued: from packets to messages.

#include <algorithm>
#include <cstring>

#include "receiver.hpp"

namespace ayatori::transport {

namespace {

/// Whether the packet has a further chunk of the message. Its size must be what the first packet said, since memory was
/// reserved and checked for that.
bool continues(const Assembly& begun, const Packet& packet) {
  return begun.in_pieces && packet.fragment && packet.fragment->message_size == begun.size &&
         packet.payload.size() <= begun.size - begun.received;
}

}  // namespace

/// Takes a fresh packet's payload, unless something has no room now: then the packet was never here.
bool Receiver::place(ContextId id, const Packet& packet) {
  IncomingFlow& flow = flows_[id];
  // All packets before it are here, so all messages before it are complete.
  const bool in_sequence = packet.sequence == flow.window.cumulative() || packet.unordered;
  const bool taken = !packet.fragment && in_sequence ? deliver_now(packet) : keep(flow, packet);
  if (!taken) return false;
  flow.window.mark(packet.sequence);
  deliver_complete(flow, packet.from);
  return true;
}

/// Straight out of the datagram, without a copy.
bool Receiver::deliver_now(const Packet& packet) {
  if (packet.several) {
    deliver_several(packet.from, packet.payload, nullptr);
    return true;
  }
  std::uint32_t reply = no_id;
  if (packet.message == MessageKind::call) {
    const auto reserved = sender_.reserve_reply(packet.from, Urgency::in_sequence);
    if (!reserved) return false;
    reply = *reserved;
  }
  deliver(packet.from, packet.message, packet.payload, nullptr, reply);
  return true;
}

bool Receiver::keep(IncomingFlow& flow, const Packet& packet) {
  const std::uint32_t slot = assembly_for(flow, packet);
  if (slot == no_id) return false;
  Assembly& assembly = assemblies_[slot];
  const std::uint64_t offset = packet.fragment ? packet.fragment->offset : 0;
  if (!packet.payload.empty()) std::memcpy(assembly.memory + offset, packet.payload.data(), packet.payload.size());
  assembly.received += packet.payload.size();
  return true;
}

/// The assembly of the packet's message, made if this is the first of its packets. no_id if there is no room, or if the
/// packet contradicts what came before.
std::uint32_t Receiver::assembly_for(IncomingFlow& flow, const Packet& packet) {
  const Sequence first = packet.sequence - (packet.fragment ? packet.fragment->number : 0);
  std::uint32_t* link = &flow.assemblies;
  while (*link != no_id && assemblies_[*link].first < first) link = &assemblies_[*link].next;
  if (*link != no_id && assemblies_[*link].first == first) {
    return continues(assemblies_[*link], packet) ? *link : no_id;
  }

  const Urgency urgency = first > flow.window.cumulative() ? Urgency::early : Urgency::in_sequence;
  const auto made = new_assembly(packet, urgency);
  if (!made) return no_id;
  const std::uint32_t slot = std::exchange(free_assembly_, assemblies_[free_assembly_].next);
  --free_assemblies_;
  assemblies_[slot] = *made;
  assemblies_[slot].first = first;
  assemblies_[slot].next = *link;
  *link = slot;
  return slot;
}

/// An early message never takes the last assembly: it would wait for a message that then finds none.
std::optional<Assembly> Receiver::new_assembly(const Packet& packet, Urgency urgency) {
  if (free_assemblies_ <= (urgency == Urgency::early ? 1 : 0)) return std::nullopt;
  Assembly made;
  made.kind = packet.message;
  made.unordered = packet.unordered;
  made.several = packet.several;
  made.in_pieces = packet.fragment.has_value();
  made.size = packet.fragment ? packet.fragment->message_size : packet.payload.size();
  if (made.kind == MessageKind::call) {
    const auto reserved = sender_.reserve_reply(packet.from, urgency);
    if (!reserved) return std::nullopt;
    made.reply = *reserved;
  }
  if (made.size > 0) {
    made.memory = shared_.application.reserve(packet.from, made.size, urgency);
    if (!made.memory) {
      if (made.reply != no_id) sender_.release_reply(made.reply);
      return std::nullopt;
    }
  }
  return made;
}

/// Delivers, in the order of sending, complete messages that are in sequence or unordered.
void Receiver::deliver_complete(IncomingFlow& flow, PeerId peer) {
  for (std::uint32_t* link = &flow.assemblies; *link != no_id;) {
    const std::uint32_t slot = *link;
    Assembly& assembly = assemblies_[slot];
    const bool in_sequence = assembly.first < flow.window.cumulative() || assembly.unordered;
    if (assembly.received < assembly.size || !in_sequence) {
      link = &assembly.next;
      continue;
    }
    if (assembly.several) {
      deliver_several(peer, {assembly.memory, assembly.size}, assembly.memory);
    } else {
      deliver(peer, assembly.kind, {assembly.memory, assembly.size}, assembly.memory, assembly.reply);
    }
    *link = assembly.next;
    free(slot);
  }
}

void Receiver::free(std::uint32_t assembly) {
  assemblies_[assembly].next = std::exchange(free_assembly_, assembly);
  ++free_assemblies_;
}

void Receiver::deliver(PeerId peer, MessageKind kind, std::span<const std::byte> bytes, std::byte* reserved,
                       std::uint32_t reply) {
  ++shared_.statistics.delivered;
  if (kind == MessageKind::reply) return deliver_reply(peer, bytes, reserved);
  const auto event = kind == MessageKind::call ? Event::Kind::operate : Event::Kind::deliver;
  shared_.events.push_back({.kind = event, .peer = peer, .bytes = bytes, .reserved = reserved, .reply = reply});
}

void Receiver::deliver_several(PeerId peer, std::span<const std::byte> bytes, std::byte* reserved) {
  shared_.statistics.delivered += *count_messages(bytes);
  shared_.events.push_back(
      {.kind = Event::Kind::deliver, .peer = peer, .bytes = bytes, .reserved = reserved, .several = true});
}

void Receiver::deliver_reply(PeerId peer, std::span<const std::byte> bytes, std::byte* reserved) {
  std::uint64_t call_id = 0;
  std::memcpy(&call_id, bytes.data(), sizeof call_id);
  if (const auto token = sender_.answered(peer, call_id)) {
    const auto result = bytes.subspan(operation_id_bytes);
    shared_.events.push_back(
        {.kind = Event::Kind::returned, .peer = peer, .token = *token, .bytes = result, .reserved = reserved});
  } else if (reserved) {
    shared_.events.push_back({.kind = Event::Kind::release, .reserved = reserved});
  }
}

}  // namespace ayatori::transport
