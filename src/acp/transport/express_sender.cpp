#include "express_sender.hpp"

#include <algorithm>

namespace ayatori::transport {

bool ExpressSender::next_packet(Packet& packet) {
  while (!flows_.express_ready.empty()) {
    const ContextId id = flows_.express_ready.front();
    OutgoingFlow& flow = flows_[id];
    if (!outbox_.may_travel_express(flow)) {
      flows_.express_ready.remove(id);
      flows_.ready.push(id);
      continue;
    }
    outbox_.assign(flow, flow.window.next());
    outbox_.load(packet, flow, flow.unsent, flow.window.next());
    packet.kind = PacketKind::express;
    packet.to = flows_.peer(id);
    packet.epoch = flow.epoch;
    return true;
  }
  return false;
}

void ExpressSender::settle(Time now, bool taken) {
  const ContextId id = flows_.express_ready.front();
  if (taken) {
    finish(id, now);
  } else {
    hold_back(id, now);
  }
}

/// What the wire has is as good as delivered.
void ExpressSender::finish(ContextId id, Time now) {
  OutgoingFlow& flow = flows_[id];
  ++shared_.statistics.data_packets;
  ++shared_.statistics.express_packets;
  outbox_.acknowledge_express(flow, now);
  if (flow.express.taken()) {
    flows_.deadlines.set(id, now + std::min(shared_.options.close_after, shared_.options.give_up_after / 4));
  }
  if (flow.has_unsent()) return flows_.express_ready.move_to_end(id);
  flows_.express_ready.remove(id);
  flows_.update_activity(id);
  if (flow.activity == Activity::idle) flows_.offer_context(id);
}

/// A peer whose ring stays without room is stopped, or gone.
void ExpressSender::hold_back(ContextId id, Time now) {
  OutgoingFlow& flow = flows_[id];
  flows_.express_ready.remove(id);
  if (const auto pause = flow.express.refused(now)) return flows_.deadlines.set(id, now + *pause);
  flows_.ready.push(id);
}

bool ExpressSender::handle_deadline(ContextId id, Time now) {
  OutgoingFlow& flow = flows_[id];
  switch (flow.express.deadline_passed(outbox_.may_travel_express(flow))) {
    case ExpressPath::Due::nothing:
      return false;
    case ExpressPath::Due::retry:
      flows_.express_ready.push(id);
      flows_.deadlines.set(id, now + ExpressPath::max_refusal);  // refused once more, it sets another
      return true;
    case ExpressPath::Due::confirm:
      flows_.enter(id, Activity::probing);
      flows_.enter(id, CreditState::ask_due);
      flows_.keep_context(id);
      flows_.ready.push(id);
      flows_.arm(id, now);
      return true;
  }
  return false;
}

}  // namespace ayatori::transport
