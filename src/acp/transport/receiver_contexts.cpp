// Receiver, continued: which peers have a context, and how it is got back. The argument stands in
// docs/decisions/0100-evicting-contexts.md.

#include <algorithm>

#include "receiver.hpp"

namespace ayatori::transport {

namespace {

FlowKey key_of(const Packet& packet) {
  return {packet.from, packet.message == MessageKind::reply ? Lane::replies : Lane::messages};
}

/// Contexts asked back at a time when they get scarce.
constexpr int retired_at_once = 4;

/// Between two such asks of the same flow.
constexpr Duration between_retirements = std::chrono::milliseconds(10);

}  // namespace

void AbandonedFlows::add(PeerId peer, Epoch epoch) {
  Flow& flow = flows_[next_++ % capacity];
  overwritten_ = std::max(overwritten_, flow.epoch);
  flow = {peer, epoch};
}

bool AbandonedFlows::may_contain(PeerId peer, Epoch epoch) const {
  if (epoch <= overwritten_) return true;
  return std::ranges::any_of(flows_, [&](const Flow& flow) { return flow.peer == peer && epoch <= flow.epoch; });
}

// ---- Given

/// The context of the packet's flow. Only this function decides that a flow is new.
std::optional<ContextId> Receiver::admit(Time now, const Packet& packet) {
  if (const auto id = flows_.find(key_of(packet))) {
    IncomingFlow& flow = flows_[*id];
    if (packet.epoch == flow.epoch) {
      flow.heard = now;
      flow.retire_since = never;
      recency_like(*id).move_to_end(*id);
      return id;
    }
    if (packet.epoch < flow.epoch) {
      ++shared_.statistics.stale;
      return std::nullopt;
    }
    // A sender opens a flow only when it is done with the one before.
    forget(*id);
  }
  return open(now, packet);
}

std::optional<ContextId> Receiver::open(Time now, const Packet& packet) {
  const PeerId from = packet.from;
  const FlowKey key = key_of(packet);
  if (packet.epoch <= floors_.of(key)) {
    ++shared_.statistics.stale;
    const bool abandoned = abandoned_.may_contain(from, packet.epoch);
    if (abandoned) shared_.notices.add(PacketKind::reset, from, packet.epoch);
    if (!abandoned) shared_.notices.add(PacketKind::renew, from, packet.epoch, floors_.of(key));
    return std::nullopt;
  }
  if (packet.sequence > max_window) {
    // No sender gets this far without an acknowledgement: we have forgotten what we must not forget (a restart).
    shared_.notices.add(PacketKind::reset, from, packet.epoch);
    return std::nullopt;
  }
  if (free_contexts(key.lane) == 0) {
    ++shared_.statistics.no_room;
    shared_.notices.add(PacketKind::busy, from, packet.epoch);
    retire_oldest(key.lane, now);
    return std::nullopt;
  }
  const auto id = flows_.insert(key);
  flows_[*id].epoch = packet.epoch;
  flows_[*id].heard = now;
  flows_[*id].credit_limit = shared_.options.initial_window;
  recency_like(*id).push(*id);
  // An eighth of the lane's contexts is kept free for newcomers.
  if (free_contexts(key.lane) < max_contexts(key.lane) / 8) retire_oldest(key.lane, now);
  return id;
}

/// After this no packet of the flow is ever accepted again: the floor takes the context's place.
void Receiver::forget(ContextId id) {
  IncomingFlow& flow = flows_[id];
  floors_.raise(flows_.key(id), flow.epoch);
  while (flow.assemblies != no_id) {
    const std::uint32_t slot = std::exchange(flow.assemblies, assemblies_[flow.assemblies].next);
    const Assembly& assembly = assemblies_[slot];
    if (assembly.memory) shared_.events.push_back({.kind = Event::Kind::release, .reserved = assembly.memory});
    if (assembly.reply != no_id) sender_.release_reply(assembly.reply);
    free(slot);
  }
  admission_.leave(id);
  owed_.remove(id);
  recency_like(id).remove(id);
  deadlines_.clear(id);
  flows_.erase(id);
}

void Receiver::abandon(PeerId peer) {
  for (const Lane lane : {Lane::messages, Lane::replies}) {
    const auto id = flows_.find({peer, lane});
    if (!id) continue;
    abandoned_.add(peer, flows_[*id].epoch);
    forget(*id);
  }
}

// ---- Asked back

std::uint32_t Receiver::max_contexts(Lane lane) const {
  return lane == Lane::messages ? shared_.options.incoming_contexts : shared_.options.replies;
}

std::uint32_t Receiver::free_contexts(Lane lane) const { return max_contexts(lane) - flows_.size(lane); }

/// Asks the senders heard of longest ago to close. Their contexts may not simply be taken: only a sender knows that it
/// has nothing under way, and packets under way in a flow that was forgotten could be delivered twice.
void Receiver::retire_oldest(Lane lane, Time now) {
  IdQueue& recency = recency_[static_cast<std::size_t>(lane)];
  for (int n = 0; n < retired_at_once && !recency.empty(); ++n) {
    const ContextId id = recency.front();
    recency.move_to_end(id);
    if (flows_[id].retire_since == never) ask_to_retire(id, now);
  }
}

void Receiver::retire_all(Time now) {
  for (ContextId id = 0; id < flows_.capacity(); ++id) {
    if (flows_.used(id) && flows_[id].retire_since == never) ask_to_retire(id, now);
  }
}

void Receiver::ask_to_retire(ContextId id, Time now) {
  IncomingFlow& flow = flows_[id];
  if (flow.retire_since == never) {
    flow.retire_since = now;
    flow.retire_attempts = 0;
  }
  ++flow.retire_attempts;
  flow.retire_asked = now;
  shared_.notices.add(PacketKind::retire, flows_.peer(id), flow.epoch);
  arm(id);
}

void Receiver::check_retiring(ContextId id, Time now) {
  IncomingFlow& flow = flows_[id];
  const Options& options = shared_.options;
  const bool silent = now - flow.retire_since >= options.give_up_after;
  if (!silent || flow.retire_attempts < options.give_up_attempts) return ask_to_retire(id, now);
  const PeerId peer = flows_.peer(id);
  sender_.abandon(peer);
  shared_.events.push_back({.kind = Event::Kind::lost, .peer = peer, .since = flow.heard});
  ++shared_.statistics.lost_peers;
  abandon(peer);
}

/// Counted from the last attempt, not from the first: an endpoint that was stopped meanwhile must not make all attempts
/// at once.
Time Receiver::retire_due(const IncomingFlow& flow) const {
  const Options& options = shared_.options;
  const Duration apart = std::min(between_retirements, options.give_up_after / (options.give_up_attempts + 1));
  return flow.retire_asked + apart;
}

}  // namespace ayatori::transport
