#include "lane_receiver.hpp"

#include <algorithm>

#include "pieces.hpp"

namespace ayatori {

LaneReceiver::LaneReceiver(const SegmentView& view, Rank self, bool read_peers)
    : view_(view), self_(self), read_peers_(read_peers), lanes_(view.shape().ranks) {}

void LaneReceiver::post(Rank peer, const Posted& posted) {
  if (!lanes_[peer].early.empty() && take_early(peer, posted)) return;
  lanes_[peer].posted.push_back(posted);
  await(peer);
}

bool LaneReceiver::take_at_once(Rank peer, const Posted& posted) {
  Lane& lane = lanes_[peer];
  if (!lane.early.empty() && take_early(peer, posted)) return true;
  while (true) {
    const LaneSlot& slot = view_.slot(peer, self_, lane.next);
    if (slot.sequence.load(std::memory_order_acquire) != lane.next + 1) return false;
    const bool is_it =
        slot.context == posted.context && slot.stream == posted.message.stream && slot.kind != SlotKind::fragment;
    if (is_it) {
      accept(peer, posted, slot);
    } else {
      take(peer, slot);
    }
    ++lane.next;
    view_.taken(peer, self_).store(lane.next, std::memory_order_release);
    if (is_it) return true;
  }
}

void LaneReceiver::await(Rank peer) {
  if (std::exchange(lanes_[peer].awaited, true)) return;
  awaited_.push_back(peer);
}

bool LaneReceiver::take_early(Rank peer, const Posted& posted) {
  auto& early = lanes_[peer].early;
  const auto found = std::find_if(early.begin(), early.end(), [&](const Early& each) {
    return each.context == posted.context && each.stream == posted.message.stream;
  });
  if (found == early.end()) return false;
  const Early message = std::move(*found);
  early.erase(found);
  if (message.kind == SlotKind::rendezvous) {
    fetch(peer, posted, message.body.rendezvous, message.bytes);
  } else {
    deliver(posted, message.contents.data(), message.bytes);
  }
  return true;
}

void LaneReceiver::progress() {
  for (std::size_t i = 0; i < awaited_.size();) {
    const Rank peer = awaited_[i];
    poll(peer);
    Lane& lane = lanes_[peer];
    if (!lane.posted.empty() || !lane.inflows.empty()) {
      ++i;
      continue;
    }
    lane.awaited = false;
    awaited_[i] = awaited_.back();
    awaited_.pop_back();
  }
}

/// Takes messages from the lane until nobody waits for one, or none is there.
void LaneReceiver::poll(Rank peer) {
  Lane& lane = lanes_[peer];
  while (!lane.posted.empty() || !lane.inflows.empty()) {
    const LaneSlot& slot = view_.slot(peer, self_, lane.next);
    if (slot.sequence.load(std::memory_order_acquire) != lane.next + 1) return;
    take(peer, slot);
    ++lane.next;
    view_.taken(peer, self_).store(lane.next, std::memory_order_release);
  }
}

void LaneReceiver::take(Rank peer, const LaneSlot& slot) {
  if (slot.kind == SlotKind::fragment) return take_fragment(peer, slot);
  auto& waiting = lanes_[peer].posted;
  const auto found = std::find_if(waiting.begin(), waiting.end(), [&](const Posted& posted) {
    return posted.context == slot.context && posted.message.stream == slot.stream;
  });
  if (found == waiting.end()) return set_aside(peer, slot);
  const Posted posted = *found;
  waiting.erase(found);
  accept(peer, posted, slot);
}

/// The slot has the message that was posted.
void LaneReceiver::accept(Rank peer, const Posted& posted, const LaneSlot& slot) {
  if (slot.kind == SlotKind::rendezvous) {
    fetch(peer, posted, slot.body.rendezvous, slot.bytes);
  } else {
    deliver(posted, contents(peer, slot), slot.bytes);
  }
}

const std::byte* LaneReceiver::contents(Rank peer, const LaneSlot& slot) const {
  if (slot.kind == SlotKind::inlined) {
    return reinterpret_cast<const std::byte*>(&slot) + offsetof(LaneSlot, body);
  }
  const bool whole = slot.kind == SlotKind::eager;
  return view_.outbox(peer) + (whole ? slot.body.eager.offset : slot.body.fragment.offset);
}

void LaneReceiver::set_aside(Rank peer, const LaneSlot& slot) {
  Early early{slot.kind, slot.stream, slot.context, slot.bytes, {}, {}};
  if (slot.kind == SlotKind::rendezvous) {
    early.body.rendezvous = slot.body.rendezvous;
    // The list of its pieces may be overwritten once this slot counts as taken: the sender sends it in fragments.
    if (early.body.rendezvous.pieces > 1) early.body.rendezvous.pieces = 0;
  } else {
    const std::byte* begin = contents(peer, slot);
    early.contents.assign(begin, begin + slot.bytes);
  }
  lanes_[peer].early.push_back(std::move(early));
}

bool LaneReceiver::fits(const Posted& posted, Bytes bytes) {
  if (bytes == posted.message.bytes) return true;
  posted.owner->fail(fail("a message of {} bytes came from participant {}, which should have {}", bytes,
                          posted.message.peer, posted.message.bytes)
                         .error());
  return false;
}

void LaneReceiver::deliver(const Posted& posted, const std::byte* contents, Bytes bytes) {
  if (!fits(posted, bytes)) return;
  copy_in(posted.message.pieces, 0, contents, bytes);
  posted.complete();
}

void LaneReceiver::fetch(Rank peer, const Posted& posted, const LaneSlot::Rendezvous& rendezvous, Bytes bytes) {
  if (!fits(posted, bytes)) return;
  auto& ticket = view_.ticket(peer, rendezvous.ticket);
  const RemotePiece single[] = {{rendezvous.address, bytes}};
  std::span<const RemotePiece> from(single);
  if (rendezvous.pieces > 1) {
    from = {reinterpret_cast<const RemotePiece*>(view_.outbox(peer) + rendezvous.list), rendezvous.pieces};
  }
  const bool may_read = read_peers_ && rendezvous.pieces > 0;
  if (may_read && lanes_[peer].remote.read(view_, peer, from, posted.message.pieces)) {
    ticket.store(ticket_taken, std::memory_order_release);
    posted.complete();
    return;
  }
  lanes_[peer].inflows.push_back({posted, rendezvous.ticket, 0});
  await(peer);
  ticket.store(ticket_fragments, std::memory_order_release);
}

void LaneReceiver::take_fragment(Rank peer, const LaneSlot& slot) {
  auto& inflows = lanes_[peer].inflows;
  const auto inflow = std::find_if(inflows.begin(), inflows.end(),
                                   [&](const Inflow& each) { return each.ticket == slot.body.fragment.ticket; });
  if (inflow == inflows.end()) return;  // of an execution that was given up
  copy_in(inflow->posted.message.pieces, slot.body.fragment.begin, contents(peer, slot), slot.bytes);
  inflow->arrived += slot.bytes;
  if (inflow->arrived < inflow->posted.message.bytes) return;
  inflow->posted.complete();
  inflows.erase(inflow);
}

void LaneReceiver::forget(const Completions* owner) {
  for (Lane& lane : lanes_) {
    std::erase_if(lane.posted, [&](const Posted& posted) { return posted.owner == owner; });
    std::erase_if(lane.inflows, [&](const Inflow& inflow) { return inflow.posted.owner == owner; });
  }
}

}  // namespace ayatori
