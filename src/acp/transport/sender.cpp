#include "sender.hpp"

namespace ayatori::transport {

namespace {

/// A flow gets a new epoch long before its sequences wrap; the last message may still have 2^30 packets.
constexpr Sequence max_sequence = Sequence{1} << 31;

}  // namespace

Sender::Sender(Shared& shared)
    : shared_(shared), flows_(shared), outbox_(shared), recovery_(shared, flows_), express_(shared, flows_, outbox_) {}

// ---- Messages in

/// The flow that a new message of the application joins; nothing if all slots or all contexts are busy.
std::optional<ContextId> Sender::open_for_message(Time now, PeerId to, std::size_t size) {
  std::optional<ContextId> id;
  if (outbox_.has_room(size)) id = flows_.open(now, {to, Lane::messages});
  if (!id) {
    refused_ = true;
    outbox_.freed = flows_.freed = false;
  }
  return id;
}

bool Sender::buffer_became_free() {
  if (!refused_ || !(outbox_.freed || flows_.freed)) return false;
  refused_ = false;
  return true;
}

bool Sender::send(Time now, PeerId to, std::span<const std::byte> message, Token token, bool unordered) {
  const auto id = open_for_message(now, to, message.size());
  if (!id) return false;
  enqueue(*id, outbox_.take(message, token, unordered));
  return true;
}

bool Sender::call(Time now, PeerId to, std::span<const std::byte> request, Token token) {
  if (request.size() > max_operation_bytes) return false;
  const auto id = open_for_message(now, to, request.size());
  if (!id) return false;
  enqueue(*id, outbox_.calls.prepare(request, token));
  return true;
}

void Sender::reply(Time now, std::uint32_t slot, std::span<const std::byte> call_id, const OperationResult& result) {
  outbox_.calls.finish_reply(slot, call_id, result);
  send_waiting_replies(now);
}

void Sender::send_waiting_replies(Time now) {
  while (outbox_.calls.has_replies()) {
    const auto id = flows_.open(now, {outbox_.calls.next_reply_to(), Lane::replies});
    if (!id) return;
    enqueue(*id, outbox_.calls.pop_reply());
  }
}

std::optional<Token> Sender::answered(PeerId from, std::uint64_t call_id) {
  const auto call = outbox_.calls.answered(from, call_id);
  if (!call) return std::nullopt;
  if (call->slot_free) outbox_.give_back(call->slot);
  return call->token;
}

void Sender::enqueue(ContextId id, std::uint32_t slot) {
  outbox_.enqueue(flows_[id], flows_.peer(id), slot);
  flows_.keep_context(id);
  flows_.update_activity(id);
  make_ready(id);
}

void Sender::make_ready(ContextId id) {
  (outbox_.may_travel_express(flows_[id]) ? flows_.express_ready : flows_.ready).push(id);
}

// ---- Packets out

bool Sender::next_packet(Time now, Packet& packet) {
  while (!flows_.ready.empty()) {
    const ContextId id = flows_.ready.front();
    if (!fill(packet, id, now)) {
      flows_.ready.remove(id);
      continue;
    }
    OutgoingFlow& flow = flows_[id];
    if (flow.wants_to_send()) {
      flows_.ready.move_to_end(id);
    } else {
      flows_.ready.remove(id);
    }
    if (flow.unanswered_since == never) flow.unanswered_since = now;
    packet.to = flows_.peer(id);
    packet.epoch = flow.epoch;
    packet.stamp = stamp_of(now);
    flows_.arm(id, now);
    return true;
  }
  return false;
}

/// Lost packets are sent first, then new ones. An ask that is needed is sent only when no data may be sent.
bool Sender::fill(Packet& packet, ContextId id, Time now) {
  OutgoingFlow& flow = flows_[id];
  if (flow.phase == Phase::held) {
    if (flow.held_until > now) return false;
    flows_.enter(id, Phase::open);
  }
  if (resend(packet, id, now) || send_new(packet, id)) return true;
  if (flow.credit != CreditState::ask_due && !flow.needs_credit()) return false;
  ask(packet, id);
  return true;
}

bool Sender::resend(Packet& packet, ContextId id, Time now) {
  OutgoingFlow& flow = flows_[id];
  const auto sequence = flow.window.first_lost();
  if (!sequence || !flow.may_send(*sequence)) return false;
  flow.window.send_again(*sequence);
  flow.resent_at = now;
  flow.resent_overtaken = false;
  ++shared_.statistics.retransmissions;
  outbox_.load(packet, flow, outbox_.slot_of(flow, *sequence), *sequence);
  packet.resent = true;
  return true;
}

bool Sender::send_new(Packet& packet, ContextId id) {
  OutgoingFlow& flow = flows_[id];
  if (!flow.has_unsent() || !flow.window.has_room() || !flow.may_send(flow.window.next())) return false;
  if (flow.phase == Phase::retiring && flow.unsent_packet == 0) return false;
  const Sequence sequence = flow.window.send_next();
  if (flow.unsent_packet == 0) outbox_.assign(flow, sequence);
  const std::uint32_t slot = outbox_.advance_unsent(flow);
  ++shared_.statistics.data_packets;
  outbox_.load(packet, flow, slot, sequence);
  return true;
}

/// Makes an ask. No further one follows before an acknowledgement, a time-out or a probe (CreditState::asked).
void Sender::ask(Packet& packet, ContextId id) {
  OutgoingFlow& flow = flows_[id];
  flows_.enter(id, CreditState::asked);
  ++shared_.statistics.asks;
  packet.kind = PacketKind::ask;
  packet.sequence = flow.window.next();
  packet.more = flow.has_unsent();
  if (flows_.lane(id) == Lane::replies) packet.message = MessageKind::reply;
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
  if (flow.activity == Activity::probing) flows_.end_probe(id);
  if (flow.activity == Activity::idle) flows_.offer_context(id);
}

void Sender::on_acknowledgement(Time now, const Packet& packet) {
  const auto id = flows_.find(packet.from, packet.acknowledgement->epoch);
  if (!id) return;
  OutgoingFlow& flow = flows_[*id];
  if (!recovery_.acknowledge(*id, packet, now)) return;
  flow.express.acknowledged();
  outbox_.acknowledge_arrived(flow, now);
  recovery_.find_overtaken(*id, packet, now);
  flows_.update_activity(*id);
  if (flow.window.next() >= max_sequence) flows_.enter(*id, Phase::retiring);
  if (flow.phase == Phase::retiring && flow.may_close()) return close_or_reopen(*id, now);
  if (flow.activity == Activity::idle) flows_.offer_context(*id);
  if (flow.wants_to_send()) make_ready(*id);
  flows_.arm(*id, now);
}

void Sender::on_retire(Time now, const Packet& packet) {
  const auto id = flows_.find(packet.from, packet.epoch);
  if (!id) {
    // This epoch has ended here: nothing more will be sent in it.
    return shared_.notices.add(PacketKind::close, packet.from, packet.epoch);
  }
  if (flows_[*id].phase == Phase::held) return;  // nothing of this epoch was sent: no receiver has a context for it
  flows_.enter(*id, Phase::retiring);
  if (flows_[*id].may_close()) close_or_reopen(*id, now);
}

/// Ends the epoch, of which nothing is under way: the receiver needs the context, or the sequences run out.
void Sender::close_or_reopen(ContextId id, Time now) {
  OutgoingFlow& flow = flows_[id];
  if (flow.activity == Activity::idle) return flows_.close(id);
  shared_.notices.add(PacketKind::close, flows_.peer(id), flow.epoch);
  flows_.start_epoch(id, now, Phase::held);
  // Whoever needed the context must get it before this flow asks for one again.
  flow.held_until = now + 4 * flows_.timeout(flow);
  flows_.ready.push(id);
  flows_.arm(id, now);
}

void Sender::on_renew(Time now, const Packet& packet) {
  const auto id = flows_.find(packet.from, packet.epoch);
  if (!id) return;
  if (flows_[*id].serial > 0) return report_lost(*id);  // the peer accepted it before: it has lost its state
  ++shared_.statistics.renewals;
  shared_.epochs.raise(*packet.floor);
  recovery_.note_end_of_epoch(*id, LossReason::renewed);
  flows_.start_epoch(*id, now, Phase::open);
  flows_.ready.push(*id);
  flows_.arm(*id, now);
}

void Sender::on_reset(const Packet& packet) {
  if (const auto id = flows_.find(packet.from, packet.epoch)) report_lost(*id);
}

/// Endpoint notifies the application of the loss, after the failures that it causes.
void Sender::report_lost(ContextId id) {
  const Event lost{.kind = Event::Kind::lost, .peer = flows_.peer(id), .since = flows_[id].heard};
  ++shared_.statistics.lost_peers;
  abandon(lost.peer);
  shared_.events.push_back(lost);
}

void Sender::abandon(PeerId peer) {
  outbox_.calls.fail_awaiting(peer, [&](std::uint32_t slot) {
    shared_.events.push_back({.kind = Event::Kind::failed, .token = outbox_.slots[slot].token});
    outbox_.give_back(slot);
  });
  for (const Lane lane : {Lane::messages, Lane::replies}) {
    const auto id = flows_.find({peer, lane});
    if (!id) continue;
    recovery_.note_end_of_epoch(*id, LossReason::peer_lost);
    outbox_.fail_all(flows_[*id]);
    flows_.forget(*id);
  }
}

// ---- Time

void Sender::advance(Time now) {
  outbox_.calls.probe_if_due(now, [&](PeerId peer) { probe(peer, now); });
  for (std::uint32_t n = 0; n < shared_.options.retransmission.resends_per_call; ++n) {
    const auto id = flows_.deadlines.pop_due(now);
    if (!id) break;
    time_out(*id, now);
  }
  send_waiting_replies(now);
}

void Sender::time_out(ContextId id, Time now) {
  OutgoingFlow& flow = flows_[id];
  if (express_.handle_deadline(id, now)) return;
  if (flow.activity == Activity::idle) return flows_.close(id);
  if (flow.phase == Phase::held) {
    flows_.enter(id, Phase::open);
  } else {
    if (recovery_.is_peer_lost(flow, now)) return report_lost(id);
    if (!recovery_.lose_overtaken(id, now)) recovery_.time_out(id);
  }
  flows_.ready.push(id);
  flows_.arm(id, now);
}

/// Asks a peer that owes a reply whether it is alive. A flow that probes already keeps its timer, which counts the
/// attempts.
void Sender::probe(PeerId peer, Time now) {
  const auto id = flows_.open(now, {peer, Lane::messages});
  if (!id || flows_[*id].activity == Activity::probing) return;
  flows_.enter(*id, Activity::probing);
  flows_.enter(*id, CreditState::ask_due);
  flows_.ready.push(*id);
  flows_.arm(*id, now);
}

}  // namespace ayatori::transport
