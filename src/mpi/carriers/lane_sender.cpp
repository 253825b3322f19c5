#include "lane_sender.hpp"

#include <algorithm>

#include "pieces.hpp"
#include "remote_memory.hpp"

namespace ayatori {

namespace {

constexpr Bytes fragment_bytes = 16 * 1024;
constexpr std::uint32_t max_waits = 1000;          ///< of one receiver for others, counted in calls of progress()
constexpr std::size_t max_list_bytes = 32 * 1024;  ///< of the pieces of a rendezvous message

bool same_memory(const CarriedMessage& a, const CarriedMessage& b) {
  if (a.bytes != b.bytes || a.pieces.size() != b.pieces.size()) return false;
  return std::equal(a.pieces.begin(), a.pieces.end(), b.pieces.begin(), [](const auto& one, const auto& other) {
    return one.data() == other.data() && one.size() == other.size();
  });
}

}  // namespace

LaneSender::LaneSender(const SegmentView& view, Rank self, Bytes eager_limit)
    : view_(view),
      self_(self),
      eager_limit_(std::min<Bytes>(eager_limit, SegmentShape::large_bytes / 2)),
      memory_(view.outbox(self)),
      small_(0, SegmentShape::small_bytes),
      large_(SegmentShape::small_bytes, SegmentShape::large_bytes),
      lanes_(view.shape().ranks),
      tickets_(SegmentShape::tickets) {
  for (std::uint32_t number = SegmentShape::tickets; number-- > 0;) free_tickets_.push_back(number);
}

void LaneSender::post(Rank peer, const Posted& posted) {
  Lane& lane = lanes_[peer];
  if (lane.waiting.empty() && try_send(peer, posted)) return;
  if (lane.waiting.empty()) waiting_lanes_.push_back(peer);
  lane.waiting.push(posted);
}

bool LaneSender::try_send(Rank peer, const Posted& posted) {
  if (!has_free_slot(peer)) return false;
  const CarriedMessage& message = posted.message;
  if (message.bytes <= view_.shape().max_inline_bytes()) {
    fill_slot(peer, posted.context, message);
    posted.complete();
    return true;
  }
  if (message.bytes > eager_limit_) return send_rendezvous(peer, posted);
  const auto offset = copy_to_outbox(message);
  if (!offset) return send_rendezvous(peer, posted);
  begin_slot(peer, posted.context, posted.message, SlotKind::eager).body.eager = {*offset};
  outbox_for(message.bytes).add_reader({peer, lanes_[peer].next});
  finish_slot(peer);
  posted.complete();
  return true;
}

bool LaneSender::send_at_once(Rank peer, std::uint64_t context, const CarriedMessage& message) {
  if (message.bytes > view_.shape().max_inline_bytes()) return false;
  if (!lanes_[peer].waiting.empty() || !has_free_slot(peer)) return false;
  fill_slot(peer, context, message);
  return true;
}

void LaneSender::fill_slot(Rank peer, std::uint64_t context, const CarriedMessage& message) {
  // Not by its member `contained`, which ends with the first cache line.
  auto* slot = reinterpret_cast<std::byte*>(&begin_slot(peer, context, message, SlotKind::inlined));
  copy_out(message.pieces, 0, slot + offsetof(LaneSlot, body), message.bytes);
  finish_slot(peer);
}

bool LaneSender::send_rendezvous(Rank peer, const Posted& posted) {
  if (free_tickets_.empty()) return false;
  const auto pieces = posted.message.pieces;
  LaneSlot::Rendezvous body{reinterpret_cast<std::uint64_t>(pieces[0].data()), free_tickets_.back(),
                            static_cast<std::uint32_t>(pieces.size()), 0};
  if (pieces.size() > 1) {
    const std::size_t bytes = pieces.size() * sizeof(RemotePiece);
    // A list that is too long is not given: the receiver asks for fragments then.
    const auto offset = bytes <= max_list_bytes ? allocate(bytes) : std::optional(0U);
    if (!offset) return false;
    if (bytes > max_list_bytes) {
      body.pieces = 0;
    } else {
      auto* list = reinterpret_cast<RemotePiece*>(memory_ + *offset);
      for (const auto& piece : pieces) *list++ = {reinterpret_cast<std::uint64_t>(piece.data()), piece.size()};
      outbox_for(bytes).add_reader({peer, lanes_[peer].next});
      outbox_for(bytes).close();
      body.list = *offset;
    }
  }
  free_tickets_.pop_back();
  open_tickets_.push_back(body.ticket);
  if (!same_memory(latest_rendezvous_, posted.message)) ++group_;
  latest_rendezvous_ = posted.message;
  tickets_[body.ticket] = {posted, peer, group_, false, 0, 0};
  view_.ticket(self_, body.ticket).store(ticket_open, std::memory_order_relaxed);
  begin_slot(peer, posted.context, posted.message, SlotKind::rendezvous).body.rendezvous = body;
  finish_slot(peer);
  return true;
}

bool LaneSender::has_free_slot(Rank peer) {
  Lane& lane = lanes_[peer];
  if (lane.next - lane.taken < view_.shape().slots) return true;
  lane.taken = view_.taken(self_, peer).load(std::memory_order_acquire);
  return lane.next - lane.taken < view_.shape().slots;
}

LaneSlot& LaneSender::begin_slot(Rank peer, std::uint64_t context, const CarriedMessage& message, SlotKind kind) {
  LaneSlot& slot = view_.slot(self_, peer, lanes_[peer].next);
  slot.kind = kind;
  slot.stream = static_cast<std::uint16_t>(message.stream);
  slot.context = context;
  slot.bytes = message.bytes;
  return slot;
}

void LaneSender::finish_slot(Rank peer) {
  Lane& lane = lanes_[peer];
  LaneSlot& slot = view_.slot(self_, peer, lane.next);
  ++lane.next;
  slot.sequence.store(lane.next, std::memory_order_release);
}

std::optional<std::uint32_t> LaneSender::allocate(Bytes bytes) {
  forget_contents();
  return outbox_for(bytes).take(static_cast<std::uint32_t>(bytes), [this](const OutboxReader& reader) {
    Lane& lane = lanes_[reader.peer];
    // Numbers wrap around: less than half of the range apart, the smaller one is the earlier one.
    const auto has = [&] { return static_cast<std::int32_t>(lane.taken - reader.number) > 0; };
    if (!has()) lane.taken = view_.taken(self_, reader.peer).load(std::memory_order_acquire);
    return has();
  });
}

/// Messages of one step often have the same contents: then they lie in the outbox once.
std::optional<std::uint32_t> LaneSender::copy_to_outbox(const CarriedMessage& message) {
  if (is_in_outbox(message)) return latest_.offset;
  const auto offset = allocate(message.bytes);
  if (!offset) return std::nullopt;
  copy_out(message.pieces, 0, memory_ + *offset, message.bytes);
  latest_ = {&outbox_for(message.bytes), message, *offset};
  return offset;
}

bool LaneSender::is_in_outbox(const CarriedMessage& message) const {
  return latest_.outbox != nullptr && same_memory(latest_.message, message);
}

void LaneSender::forget_contents() {
  if (latest_.outbox == nullptr) return;
  (latest_.outbox == &small_ ? small_ : large_).close();
  latest_.outbox = nullptr;
}

void LaneSender::progress() {
  for (std::size_t i = 0; i < open_tickets_.size();) {
    if (!serve(open_tickets_[i])) {
      ++i;
      continue;
    }
    free_tickets_.push_back(open_tickets_[i]);
    open_tickets_[i] = open_tickets_.back();
    open_tickets_.pop_back();
  }
  std::erase_if(waiting_lanes_, [this](Rank peer) {
    auto& waiting = lanes_[peer].waiting;
    while (!waiting.empty() && try_send(peer, waiting.front())) waiting.pop();
    return waiting.empty();
  });
  forget_contents();
  latest_rendezvous_.bytes = 0;
}

bool LaneSender::serve(std::uint32_t number) {
  Ticket& ticket = tickets_[number];
  if (!ticket.streaming) {
    const std::uint32_t answer = view_.ticket(self_, number).load(std::memory_order_acquire);
    if (answer == ticket_open) return false;
    ticket.streaming = answer == ticket_fragments;
  }
  // The memory of an execution that was given up may be gone.
  if (ticket.posted.owner == nullptr) return true;
  if (ticket.streaming && !stream(number)) return false;
  ticket.posted.complete();
  return true;
}

/// Sends fragments as long as there is room; true after the last one. Receivers of the same contents get them together,
/// so that each fragment is copied into the outbox once.
bool LaneSender::stream(std::uint32_t number) {
  Ticket& ticket = tickets_[number];
  const CarriedMessage& message = ticket.posted.message;
  if (ticket.streamed == 0 && waits_for_answers(ticket)) return false;
  while (ticket.streamed < message.bytes) {
    if (!has_free_slot(ticket.peer) || !collect_members(ticket)) return false;
    const Bytes bytes = std::min(fragment_bytes, message.bytes - ticket.streamed);
    const auto offset = allocate(bytes);
    if (!offset) return false;
    copy_out(message.pieces, ticket.streamed, memory_ + *offset, bytes);
    for (const std::uint32_t member : members_) send_fragment(member, bytes, *offset);
    outbox_for(bytes).close();
  }
  return true;
}

/// Whether others of its group have not answered yet, and it is worth waiting for them.
bool LaneSender::waits_for_answers(Ticket& ticket) {
  const bool all_answered = std::ranges::all_of(open_tickets_, [&](std::uint32_t other) {
    return tickets_[other].group != ticket.group || tickets_[other].streaming;
  });
  return !all_answered && ++ticket.waits < max_waits;
}

/// Collects the tickets of its group that are as far as this one. False if one of them has no room yet, and it is worth
/// waiting for it.
bool LaneSender::collect_members(Ticket& ticket) {
  members_.clear();
  bool all_have_slots = true;
  for (const std::uint32_t number : open_tickets_) {
    const Ticket& other = tickets_[number];
    const bool goes_along = other.group == ticket.group && other.streaming && other.streamed == ticket.streamed;
    if (!goes_along || other.posted.owner == nullptr) continue;
    if (has_free_slot(other.peer)) {
      members_.push_back(number);
    } else {
      all_have_slots = false;
    }
  }
  return all_have_slots || ++ticket.waits >= max_waits;
}

void LaneSender::send_fragment(std::uint32_t number, Bytes bytes, std::uint32_t offset) {
  Ticket& ticket = tickets_[number];
  LaneSlot& slot = begin_slot(ticket.peer, ticket.posted.context, ticket.posted.message, SlotKind::fragment);
  slot.bytes = bytes;
  slot.body.fragment = {ticket.streamed, number, offset};
  outbox_for(bytes).add_reader({ticket.peer, lanes_[ticket.peer].next});
  finish_slot(ticket.peer);
  ticket.streamed += bytes;
}

void LaneSender::forget(const Completions* owner) {
  for (const std::uint32_t number : open_tickets_) {
    if (tickets_[number].posted.owner == owner) tickets_[number].posted.owner = nullptr;
  }
  std::erase_if(waiting_lanes_, [&](Rank peer) {
    lanes_[peer].waiting.erase_if([&](const Posted& posted) { return posted.owner == owner; });
    return lanes_[peer].waiting.empty();
  });
}

}  // namespace ayatori
