// The third part of Sender: what travels without flow, acknowledgement and timer, where the wire loses nothing. The
// argument stands in docs/decisions/0103-express-packets.md.

#include <algorithm>

#include "sender.hpp"

namespace ayatori::transport {

namespace {

/// How long a wire may refuse before its peer's messages go where they are acknowledged, and repeated at leisure.
constexpr Duration patience = std::chrono::milliseconds(1);

/// The first of the pauses between tries, which double.
constexpr Duration first_pause = std::chrono::microseconds(1);

}  // namespace

/// Only what fits into one packet and needs no room at the receiver, and only when nothing of the flow is under way
/// that it could overtake.
bool Sender::travels_express(const OutgoingFlow& flow) const {
  if (flow.express != Express::allowed && flow.express != Express::unconfirmed) return false;
  if (flow.unsent == no_id || flow.unsent != flow.queue.head) return false;
  const OutgoingMessage& first = messages_[flow.unsent];
  return first.packets == 1 && first.kind != MessageKind::call;
}

void Sender::make_ready(ContextId id) { (travels_express(flows_[id]) ? express_ready_ : ready_).push(id); }

bool Sender::next_express(Packet& packet) {
  while (!express_ready_.empty()) {
    const ContextId id = express_ready_.front();
    OutgoingFlow& flow = flows_[id];
    if (!travels_express(flow)) {
      express_ready_.remove(id);
      ready_.push(id);
      continue;
    }
    board(flow, flow.window.next());
    load(packet, flow, flow.unsent, flow.window.next());
    packet.kind = PacketKind::express;
    packet.to = flows_.peer(id);
    packet.epoch = flow.epoch;
    return true;
  }
  return false;
}

void Sender::settle_express(Time now, bool taken) {
  const ContextId id = express_ready_.front();
  if (taken) {
    finish_express(id, now);
  } else {
    hold_express(id, now);
  }
}

/// What the wire has is as good as delivered.
void Sender::finish_express(ContextId id, Time now) {
  OutgoingFlow& flow = flows_[id];
  ++shared_.statistics.data_packets;
  ++shared_.statistics.express_packets;
  const std::uint32_t last = messages_[flow.unsent].last_aboard;
  std::uint32_t slot = no_id;
  while (slot != last) {
    slot = flow.queue.pop(messages_);
    complete(slot, now);
  }
  flow.unsent = flow.queue.head;
  flow.refused_since = never;
  if (flow.express == Express::allowed) {
    flow.express = Express::unconfirmed;
    deadlines_.set(id, now + std::min(shared_.options.close_after, shared_.options.give_up_after / 4));
  }
  if (flow.unsent != no_id) return express_ready_.move_to_end(id);
  express_ready_.remove(id);
  if (idle(flow)) become_idle(id);
}

/// Tried again after pauses as long as the wait so far. Who stays without room is stopped, or gone.
void Sender::hold_express(ContextId id, Time now) {
  OutgoingFlow& flow = flows_[id];
  if (flow.refused_since == never) flow.refused_since = now;
  const Duration waited = now - flow.refused_since;
  express_ready_.remove(id);
  if (waited >= patience) {
    flow.refused_since = never;
    flow.express = Express::suspended;
    ready_.push(id);
    return;
  }
  deadlines_.set(id, now + std::max(first_pause, waited));
}

/// Whether the flow's deadline was for what goes express.
bool Sender::express_is_due(ContextId id, Time now) {
  OutgoingFlow& flow = flows_[id];
  if (flow.refused_since != never && travels_express(flow)) {
    express_ready_.push(id);
    deadlines_.set(id, now + patience);  // refused once more, it sets another
    return true;
  }
  flow.refused_since = never;
  if (flow.express != Express::unconfirmed) return false;
  // The wire keeps the order: who answers this has taken all that went before.
  flow.express = Express::suspended;
  flow.probing = true;
  flow.ask_due = true;
  idle_like(id).remove(id);
  ready_.push(id);
  arm(id, now);
  return true;
}

}  // namespace ayatori::transport
