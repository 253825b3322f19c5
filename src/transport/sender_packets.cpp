// The second part of Sender: which packet goes next, and when none has come back for too long.

#include <algorithm>

#include "sender.hpp"

namespace ayatori::transport {

namespace {

constexpr std::uint16_t resends_before_ask = 64;

}  // namespace

bool Sender::next_packet(Time now, Packet& packet) {
  while (!ready_.empty()) {
    const ContextId id = ready_.front();
    if (!fill(packet, id, now)) {
      ready_.remove(id);
      continue;
    }
    OutgoingFlow& flow = flows_[id];
    if (wants_to_send(flow)) {
      ready_.move_to_end(id);
    } else {
      ready_.remove(id);
    }
    if (flow.unanswered_since == never) flow.unanswered_since = now;
    packet.to = flows_.peer(id);
    packet.epoch = flow.epoch;
    packet.stamp = stamp_of(now);
    arm(id, now);
    return true;
  }
  return false;
}

bool Sender::fill(Packet& packet, ContextId id, Time now) {
  OutgoingFlow& flow = flows_[id];
  if (flow.held_until > now) return false;
  if (resend(packet, flow) || send_new(packet, flow)) return true;
  if (!flow.ask_due && !needs_to_ask(flow)) return false;
  ask(packet, id);
  return true;
}

/// Whether it ever may without being told something first; that it may now, fill() says.
bool Sender::wants_to_send(const OutgoingFlow& flow) const {
  return flow.unsent != no_id || flow.ask_due || flow.window.first_lost().has_value();
}

void Sender::ask(Packet& packet, ContextId id) {
  OutgoingFlow& flow = flows_[id];
  flow.ask_due = false;
  // Until the answer or the next time-out this is asked: not again for every packet that can't go.
  flow.waiting = true;
  ++shared_.statistics.asks;
  packet.kind = PacketKind::ask;
  packet.sequence = flow.window.next();
  packet.more = flow.unsent != no_id;
  if (flows_.key(id).lane == Lane::replies) packet.message = MessageKind::reply;
}

bool Sender::resend(Packet& packet, OutgoingFlow& flow) {
  const auto sequence = flow.window.first_lost();
  if (!sequence || !may_send(flow, *sequence)) return false;
  flow.window.send_again(*sequence);
  ++shared_.statistics.retransmissions;
  load(packet, flow, slot_of(flow, *sequence), *sequence);
  packet.resent = true;
  return true;
}

bool Sender::send_new(Packet& packet, OutgoingFlow& flow) {
  if (flow.unsent == no_id || !flow.window.has_room() || !may_send(flow, flow.window.next())) return false;
  if (flow.retiring && flow.unsent_packet == 0) return false;
  const std::uint32_t slot = flow.unsent;
  const Sequence sequence = flow.window.send_next();
  if (flow.unsent_packet == 0) board(flow, sequence);
  if (++flow.unsent_packet == messages_[slot].packets) {
    flow.unsent = messages_[messages_[slot].last_aboard].next;
    flow.unsent_packet = 0;
  }
  ++shared_.statistics.data_packets;
  load(packet, flow, slot, sequence);
  return true;
}

/// Decides which messages travel in the packet that starts with the first unsent one. It stays so while the epoch
/// lasts: whatever is sent again must be the same.
void Sender::board(OutgoingFlow& flow, Sequence sequence) {
  const std::uint32_t last = shared_.options.coalesce ? cutter_.last_that_fits(flow.unsent, messages_) : flow.unsent;
  messages_[flow.unsent].last_aboard = last;
  for (std::uint32_t slot = flow.unsent;; slot = messages_[slot].next) {
    messages_[slot].first = sequence;
    if (slot == last) return;
  }
}

/// The message, or the first of those, that a packet under way carries. Packets, not messages, are passed on the way.
std::uint32_t Sender::slot_of(const OutgoingFlow& flow, Sequence sequence) const {
  std::uint32_t slot = flow.queue.head;
  while (sequence >= messages_[slot].first + messages_[slot].packets)
    slot = messages_[messages_[slot].last_aboard].next;
  return slot;
}

void Sender::load(Packet& packet, const OutgoingFlow& flow, std::uint32_t slot, Sequence sequence) {
  packet.kind = PacketKind::data;
  packet.sequence = sequence;
  packet.more = flow.unsent != no_id || flow.window.first_lost().has_value();
  const OutgoingMessage& message = messages_[slot];
  if (message.last_aboard == slot) {
    cutter_.cut(message, sequence - message.first, packet);
  } else {
    cutter_.gather(slot, message.last_aboard, messages_, packet);
  }
}

bool Sender::may_send(const OutgoingFlow& flow, Sequence sequence) const {
  return sequence < flow.limit && flow.window.in_flight() < flow.width;
}

/// Something should go, nothing is under way whose acknowledgement could allow it, and no grant is promised.
bool Sender::needs_to_ask(const OutgoingFlow& flow) const {
  if (flow.waiting || flow.window.in_flight() > 0 || (flow.retiring && may_close(flow))) return false;
  const Sequence wanted = flow.window.first_lost().value_or(flow.window.next());
  return (wanted < flow.window.next() || flow.unsent != no_id) && wanted >= flow.limit;
}

// ---- Time-outs

void Sender::advance(Time now) {
  if (awaiting_ > 0 && now >= next_probe_) probe_awaited(now);
  for (std::uint32_t n = 0; n < shared_.options.retransmission.resends_per_call; ++n) {
    const auto id = deadlines_.pop_due(now);
    if (!id) break;
    time_out(*id, now);
  }
  send_waiting_replies(now);
}

void Sender::time_out(ContextId id, Time now) {
  const Options& options = shared_.options;
  OutgoingFlow& flow = flows_[id];
  if (express_is_due(id, now)) return;
  if (idle(flow)) return close(id);
  if (flow.held_until != Time{}) {
    flow.held_until = {};
    ready_.push(id);
    return arm(id, now);
  }
  const bool silent = flow.unanswered_since != never && now - flow.unanswered_since >= options.give_up_after;
  if (silent && flow.attempts >= options.give_up_attempts) return lose(id);
  const bool unanswered = flow.unanswered_since != never;
  if (unanswered) ++flow.attempts;
  const bool mends = mends_collision(flow);
  if ((unanswered || flow.window.in_flight() > 0) && !mends) flow.round_trip.timed_out();
  if (flow.window.outstanding() == 0 || (options.retransmission.admission && !mends)) {
    flow.ask_due = true;
  } else {
    declare_lost(flow, flow.window.next());
  }
  flow.waiting = false;
  ready_.push(id);
  arm(id, now);
}

/// At the first sign of overflow a sender asks. But whom the receiver has given places has its leave to send those
/// packets: a collision there is mended soonest by sending again, without back-off and without costing the receiver an
/// answer.
bool Sender::mends_collision(const OutgoingFlow& flow) const {
  return shared_.options.retransmission.admission && flow.placed && flow.window.outstanding() > 0 &&
         flow.attempts <= resends_before_ask;
}

void Sender::arm(ContextId id, Time now) {
  OutgoingFlow& flow = flows_[id];
  if (flow.held_until > now) return deadlines_.set(id, flow.held_until);
  deadlines_.set(id, now + (idle(flow) ? shared_.options.close_after : timeout(flow)));
}

/// A fixed timer is kept to the letter. An adaptive one is stretched by up to a quarter, so that senders whose packets
/// collided once do not collide for ever; and one that only backs up a promised grant by a lot.
Duration Sender::timeout(const OutgoingFlow& flow) {
  const Retransmission& options = shared_.options.retransmission;
  Duration chosen = options.fixed_timeout;
  const bool under_way = flow.window.in_flight() > 0;
  if (options.timer == Retransmission::Timer::adaptive) {
    chosen = flow.round_trip.timeout(options);
    chosen += Duration(shared_.random.below(static_cast<std::uint64_t>(chosen.count()) / 4 + 1));
  }
  if (under_way || !flow.waiting || flow.patience == 0) return chosen;
  return std::min(std::max(options.longest_timeout, chosen), chosen * (std::int64_t{256} << flow.patience));
}

}  // namespace ayatori::transport
