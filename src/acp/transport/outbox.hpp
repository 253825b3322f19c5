#pragma once
/// \file
/// Messages between send() and acknowledged(): their slots, the queue of each flow, and which packet carries which.

#include "calls.hpp"
#include "message_slots.hpp"
#include "outgoing_flow.hpp"
#include "packetizer.hpp"
#include "shared.hpp"

namespace ayatori::transport {

class Outbox {
 public:
  explicit Outbox(Shared& shared);

  /// Whether a message of this size may be queued: it is not too long, and a slot is free.
  [[nodiscard]] bool has_room(std::size_t size) const { return size <= packetizer_.max_message() && slots.has_room(); }

  /// A slot with a plain message of the application, for which there is room.
  [[nodiscard]] std::uint32_t take(std::span<const std::byte> message, Token token, bool unordered);
  void give_back(std::uint32_t slot);

  /// To the end of the flow's queue.
  void enqueue(OutgoingFlow& flow, PeerId peer, std::uint32_t slot);

  /// Decides which messages travel in the packet that starts with the first unsent one, and gives them its sequence. It
  /// stays so while the epoch lasts: whatever is sent again must be the same.
  void assign(const OutgoingFlow& flow, Sequence sequence);

  /// Takes the next unsent packet, which was assigned if it is a message's first, off the unsent ones; its slot.
  std::uint32_t advance_unsent(OutgoingFlow& flow);

  /// The message, or the first of those, that a packet in flight carries.
  [[nodiscard]] std::uint32_t slot_of(const OutgoingFlow& flow, Sequence sequence) const;

  /// Fills a data packet with its messages.
  void load(Packet& packet, const OutgoingFlow& flow, std::uint32_t slot, Sequence sequence);

  /// The messages whose packets have all arrived are acknowledged.
  void acknowledge_arrived(OutgoingFlow& flow, Time now);

  /// The messages of the first packet of the queue, which the wire took, are acknowledged.
  void acknowledge_express(OutgoingFlow& flow, Time now);

  /// All messages of the flow's queue have failed.
  void fail_all(OutgoingFlow& flow);

  /// Only what fits into one packet and needs no room at the receiver may travel express, and only when nothing of the
  /// flow is under way that it could overtake.
  [[nodiscard]] bool may_travel_express(const OutgoingFlow& flow) const;

  MessageSlots slots;
  Calls calls;
  bool freed = false;  // a slot may be had that was not free before

 private:
  void complete(std::uint32_t slot, Time now);

  Shared& shared_;
  Packetizer packetizer_;
};

}  // namespace ayatori::transport
