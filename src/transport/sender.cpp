#include "sender.hpp"

#include <algorithm>

namespace ayatori::transport {

namespace {

/// A flow is renewed long before its sequences wrap; the last message may still have 2^30 packets.
constexpr Sequence renewal_due = Sequence{1} << 31;

std::uint32_t table_size(const Options& options) { return options.outgoing_contexts + options.replies; }

}  // namespace

Sender::Sender(Shared& shared)
    : shared_(shared),
      cutter_(shared.options.datagram_bytes),
      flows_(table_size(shared.options)),
      messages_(shared.options.messages + shared.options.replies),
      ready_(table_size(shared.options)),
      express_ready_(table_size(shared.options)),
      idle_{IdQueue(table_size(shared.options)), IdQueue(table_size(shared.options))},
      deadlines_(table_size(shared.options)),
      typical_(shared.options.retransmission) {}

// ---- Messages in

/// The flow that a new message of the application joins; nothing if all slots or all contexts are busy.
std::optional<ContextId> Sender::room_for(Time now, PeerId to, std::size_t size) {
  std::optional<ContextId> id;
  const bool slot_free = messages_.used() - replies_ < shared_.options.messages;
  if (slot_free && size <= cutter_.max_message()) id = open(now, {to, Lane::messages});
  if (!id) {
    refused_ = true;
    freed_ = false;
  }
  return id;
}

bool Sender::take_news_of_room() {
  if (!refused_ || !freed_) return false;
  refused_ = false;
  return true;
}

bool Sender::send(Time now, PeerId to, std::span<const std::byte> message, Token token, bool unordered) {
  const auto id = room_for(now, to, message.size());
  if (!id) return false;
  const std::uint32_t slot = *messages_.take();
  messages_[slot].bytes = message;
  messages_[slot].token = token;
  messages_[slot].unordered = unordered;
  messages_[slot].packets = cutter_.packets(message.size());
  enqueue(*id, slot);
  return true;
}

void Sender::give_back(std::uint32_t slot) {
  if (messages_[slot].kind == MessageKind::reply) --replies_;
  messages_.give_back(slot);
  freed_ = true;
}

void Sender::become_idle(ContextId id) {
  idle_like(id).push(id);
  freed_ = true;
}

void Sender::enqueue(ContextId id, std::uint32_t slot) {
  OutgoingFlow& flow = flows_[id];
  messages_[slot].to = flows_.peer(id);
  flow.queue.push(slot, messages_);
  if (flow.unsent == no_id) {
    flow.unsent = slot;
    flow.unsent_packet = 0;
  }
  idle_like(id).remove(id);
  make_ready(id);
}

// ---- Opening and closing flows

std::optional<ContextId> Sender::open(Time now, FlowKey key) {
  if (const auto id = flows_.find(key)) {
    idle_like(*id).remove(*id);
    return id;
  }
  IdQueue& idle = idle_[static_cast<std::size_t>(key.lane)];
  if (full(key.lane)) {
    if (idle.empty()) return std::nullopt;
    close(idle.front());
  }
  const auto id = flows_.insert(key);
  OutgoingFlow& flow = flows_[*id];
  flow.round_trip = typical_;
  flow.heard = now;
  if (shared_.lossless(key.peer)) flow.express = Express::allowed;
  start_epoch(flow, now);
  arm(*id, now);
  return id;
}

bool Sender::full(Lane lane) const {
  const Options& options = shared_.options;
  return flows_.size(lane) == (lane == Lane::messages ? options.outgoing_contexts : options.replies);
}

/// The open flow to a peer that has this epoch: no two of an endpoint's flows ever have the same.
std::optional<ContextId> Sender::find(PeerId peer, Epoch epoch) const {
  for (const Lane lane : {Lane::messages, Lane::replies}) {
    const auto id = flows_.find({peer, lane});
    if (id && flows_[*id].epoch == epoch) return id;
  }
  return std::nullopt;
}

/// Under a new epoch everything that is not acknowledged starts again, from sequence 0.
void Sender::start_epoch(OutgoingFlow& flow, Time now) {
  flow.epoch = shared_.epochs.next(now);
  flow.window = {};
  flow.limit = shared_.options.initial_window;
  flow.width = shared_.options.initial_window;
  flow.grown = 0;
  flow.serial = 0;
  flow.duplicates = 0;
  flow.recovery_end = 0;
  flow.unsent = flow.queue.head;
  flow.unsent_packet = 0;
  flow.patience = 0;
  flow.ask_due = flow.waiting = flow.placed = flow.retiring = false;
}

void Sender::close(ContextId id) {
  shared_.notices.add(PacketKind::close, flows_.peer(id), flows_[id].epoch);
  typical_ = flows_[id].round_trip;
  forget(id);
}

void Sender::forget(ContextId id) {
  ready_.remove(id);
  express_ready_.remove(id);
  idle_like(id).remove(id);
  deadlines_.clear(id);
  flows_.erase(id);
  freed_ = true;
}

void Sender::close_idle() {
  for (IdQueue& idle : idle_) {
    while (!idle.empty()) close(idle.front());
  }
}

void Sender::lose(ContextId id) {
  const Event lost{.kind = Event::Kind::lost, .peer = flows_.peer(id), .since = flows_[id].heard};
  ++shared_.statistics.lost_peers;
  abandon(lost.peer);
  shared_.events.push_back(lost);
}

void Sender::abandon(PeerId peer) {
  fail_awaiting(peer);
  for (const Lane lane : {Lane::messages, Lane::replies}) {
    if (const auto id = flows_.find({peer, lane})) abandon_flow(*id);
  }
}

void Sender::abandon_flow(ContextId id) {
  OutgoingFlow& flow = flows_[id];
  while (!flow.queue.empty()) {
    const std::uint32_t slot = flow.queue.pop(messages_);
    const OutgoingMessage& message = messages_[slot];
    if (message.kind != MessageKind::reply && !message.answered) {
      shared_.events.push_back({.kind = Event::Kind::failed, .token = message.token});
    }
    give_back(slot);
  }
  forget(id);
}

/// Nothing of the epoch is under way, and no message has only some of its packets in it.
bool Sender::may_close(const OutgoingFlow& flow) const {
  return flow.window.outstanding() == 0 && flow.unsent_packet == 0;
}

void Sender::close_or_reopen(ContextId id, Time now) {
  OutgoingFlow& flow = flows_[id];
  if (idle(flow)) return close(id);
  shared_.notices.add(PacketKind::close, flows_.peer(id), flow.epoch);
  start_epoch(flow, now);
  // Whoever needed the context must get at it before we ask for one again.
  flow.held_until = now + 4 * timeout(flow);
  ready_.push(id);
  arm(id, now);
}

// ---- What peers say

void Sender::on_heard(Time now, PeerId from) {
  for (const Lane lane : {Lane::messages, Lane::replies}) {
    if (const auto id = flows_.find({from, lane})) note_heard(*id, now);
  }
}

void Sender::note_heard(ContextId id, Time now) {
  OutgoingFlow& flow = flows_[id];
  flow.heard = now;
  flow.unanswered_since = never;
  flow.attempts = 0;
  flow.probing = false;
  if (idle(flow)) become_idle(id);
}

void Sender::on_retire(Time now, const Packet& packet) {
  const auto id = find(packet.from, packet.epoch);
  if (!id) {
    // A flow that is not open is closed: nothing of it is unacknowledged.
    return shared_.notices.add(PacketKind::close, packet.from, packet.epoch);
  }
  flows_[*id].retiring = true;
  if (may_close(flows_[*id])) close_or_reopen(*id, now);
}

void Sender::on_renew(Time now, const Packet& packet) {
  const auto id = find(packet.from, packet.epoch);
  if (!id) return;
  OutgoingFlow& flow = flows_[*id];
  if (flow.serial > 0) return lose(*id);  // it did accept the epoch once: it has lost its memory
  ++shared_.statistics.renewals;
  shared_.epochs.raise(*packet.floor);
  start_epoch(flow, now);
  ready_.push(*id);
  arm(*id, now);
}

void Sender::on_reset(const Packet& packet) {
  if (const auto id = find(packet.from, packet.epoch)) lose(*id);
}

void Sender::on_acknowledgement(Time now, const Packet& packet) {
  const Acknowledgement& said = *packet.acknowledgement;
  const auto id = find(packet.from, said.epoch);
  if (!id) return;
  OutgoingFlow& flow = flows_[*id];
  const std::uint32_t flight = flow.window.in_flight();
  const Sequence before = flow.window.acknowledged();
  if (!flow.window.acknowledge(said.cumulative, said.selective)) return;
  if (flow.express == Express::suspended) flow.express = Express::allowed;
  const std::uint32_t arrived = flight - std::min(flight, flow.window.in_flight());

  if (const auto round_trip = since_stamp(said.echo, now)) {
    flow.round_trip.sample(*round_trip, said.answer ? RoundTrip::Of::control : RoundTrip::Of::data);
  }
  widen(flow, arrived);
  if (flow.window.acknowledged() > before) acknowledge_messages(flow, now);
  if (said.serial > flow.serial) {
    flow.serial = said.serial;
    flow.limit = said.cumulative + said.window;
    flow.waiting = said.queued && said.window == 0;
    flow.placed = said.placed;
    if (said.window > 0) flow.patience = 0;
    flow.round_trip.judge(arrived, said.duplicates - flow.duplicates, shared_.options.retransmission);
    flow.duplicates = said.duplicates;
    if (said.answer) take_answer(flow, packet);
  }
  recover_overtaken(flow);
  if (flow.window.next() >= renewal_due) flow.retiring = true;
  if (flow.retiring && may_close(flow)) return close_or_reopen(*id, now);
  if (idle(flow)) become_idle(*id);
  if (wants_to_send(flow)) make_ready(*id);
  arm(*id, now);
}

void Sender::acknowledge_messages(OutgoingFlow& flow, Time now) {
  while (!flow.queue.empty() && flow.queue.head != flow.unsent) {
    const OutgoingMessage& message = messages_[flow.queue.head];
    if (message.first + message.packets > flow.window.acknowledged()) return;
    complete(flow.queue.pop(messages_), now);
  }
}

void Sender::complete(std::uint32_t slot, Time now) {
  OutgoingMessage& message = messages_[slot];
  if (message.kind == MessageKind::call && !message.answered) {
    message.awaiting = true;
    if (awaiting_++ == 0) next_probe_ = now + shared_.options.give_up_after / 4;
    return;
  }
  if (message.kind == MessageKind::plain) {
    shared_.events.push_back({.kind = Event::Kind::acknowledged, .token = message.token});
  }
  give_back(slot);
}

/// One packet more for every full width that arrived.
void Sender::widen(OutgoingFlow& flow, std::uint32_t arrived) {
  flow.grown += arrived;
  if (flow.grown < flow.width) return;
  flow.grown = 0;
  flow.width = std::min(flow.width + 1, shared_.options.window);
}

/// Whatever was sent before the ask and is not in its answer is lost.
void Sender::take_answer(OutgoingFlow& flow, const Packet& packet) {
  if (flow.waiting) flow.patience = static_cast<std::uint8_t>(std::min(flow.patience + 1, 8));
  declare_lost(flow, std::min(packet.sequence, flow.window.next()));
}

/// Fast resend: a packet that three later ones have overtaken is lost; judged once a round trip.
void Sender::recover_overtaken(OutgoingFlow& flow) {
  const Sequence end = flow.window.overtaken_end(3);
  if (end <= flow.window.acknowledged() || flow.window.acknowledged() < flow.recovery_end) return;
  declare_lost(flow, end);
  flow.recovery_end = flow.window.next();
}

void Sender::declare_lost(OutgoingFlow& flow, Sequence end) {
  const std::uint32_t flight = flow.window.in_flight();
  flow.window.lose_below(end);
  if (flow.window.in_flight() == flight) return;
  if (!shared_.options.retransmission.admission) flow.width = std::max(1U, flow.width / 2);
}

}  // namespace ayatori::transport
