#include "outgoing_flows.hpp"

#include <algorithm>

namespace ayatori::transport {

namespace {

std::uint32_t outgoing_table_size(const Options& options) { return options.outgoing_contexts + options.replies; }

}  // namespace

OutgoingFlows::OutgoingFlows(Shared& shared)
    : ready(outgoing_table_size(shared.options)),
      express_ready(outgoing_table_size(shared.options)),
      deadlines(outgoing_table_size(shared.options)),
      shared_(shared),
      flows_(outgoing_table_size(shared.options)),
      idle_{IdQueue(outgoing_table_size(shared.options)), IdQueue(outgoing_table_size(shared.options))},
      typical_(shared.options.retransmission) {}

// ---- Opening and closing

std::optional<ContextId> OutgoingFlows::open(Time now, FlowKey key) {
  if (const auto id = flows_.find(key)) {
    keep_context(*id);
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
  if (shared_.lossless(key.peer)) flow.express.allow();
  start_epoch(*id, now, Phase::open);
  arm(*id, now);
  return id;
}

bool OutgoingFlows::full(Lane lane) const {
  const Options& options = shared_.options;
  return flows_.size(lane) == (lane == Lane::messages ? options.outgoing_contexts : options.replies);
}

/// No two flows of an endpoint ever have the same epoch.
std::optional<ContextId> OutgoingFlows::find(PeerId peer, Epoch epoch) const {
  for (const Lane lane : {Lane::messages, Lane::replies}) {
    const auto id = flows_.find({peer, lane});
    if (id && flows_[*id].epoch == epoch) return id;
  }
  return std::nullopt;
}

void OutgoingFlows::start_epoch(ContextId id, Time now, Phase phase) {
  const Options& options = shared_.options;
  OutgoingFlow& flow = flows_[id];
  flow.epoch = shared_.epochs.next(now);
  flow.window = {};
  flow.credit_limit = options.initial_window;
  flow.congestion = {options.initial_window, options.window};
  flow.serial = 0;
  flow.duplicates = 0;
  flow.overtaken_until = never;
  flow.resent_overtaken = false;
  flow.unsent = flow.queue.head;
  flow.unsent_packet = 0;
  flow.ask_backoff = 0;
  flow.rationed = false;
  notify(id, flow.phase, phase);  // also from open to open
  flow.phase = phase;
  enter(id, CreditState::granted);
}

void OutgoingFlows::close(ContextId id) {
  shared_.notices.add(PacketKind::close, flows_.peer(id), flows_[id].epoch);
  typical_ = flows_[id].round_trip;
  forget(id);
}

void OutgoingFlows::close_idle() {
  for (IdQueue& idle : idle_) {
    while (!idle.empty()) close(idle.front());
  }
}

void OutgoingFlows::forget(ContextId id) {
  enter(id, Phase::closed);
  ready.remove(id);
  express_ready.remove(id);
  keep_context(id);
  deadlines.clear(id);
  flows_.erase(id);
  freed = true;
}

// ---- States

void OutgoingFlows::enter(ContextId id, Phase to) {
  const Phase from = std::exchange(flows_[id].phase, to);
  if (from != to) notify(id, from, to);
}

void OutgoingFlows::enter(ContextId id, CreditState to) {
  const CreditState from = std::exchange(flows_[id].credit, to);
  if (from != to) notify(id, from, to);
}

void OutgoingFlows::enter(ContextId id, Activity to) {
  const Activity from = std::exchange(flows_[id].activity, to);
  if (from != to) notify(id, from, to);
}

void OutgoingFlows::end_probe(ContextId id) {
  const OutgoingFlow& flow = flows_[id];
  const bool done = flow.queue.empty() && flow.express.state() != ExpressState::suspended;
  enter(id, done ? Activity::idle : Activity::active);
}

void OutgoingFlows::offer_context(ContextId id) {
  idle_like(id).push(id);
  freed = true;
}

// ---- Timers

void OutgoingFlows::arm(ContextId id, Time now) {
  const OutgoingFlow& flow = flows_[id];
  if (flow.phase == Phase::held && flow.held_until > now) return deadlines.set(id, flow.held_until);
  const Duration wait = flow.activity == Activity::idle ? shared_.options.close_after : timeout(flow);
  deadlines.set(id, std::min(now + wait, flow.overtaken_until));
}

/// A fixed timer is kept to the letter. An adaptive one is stretched by up to a quarter, so that senders whose packets
/// collided once do not collide for ever. One that only backs up an announced grant is stretched by a lot.
Duration OutgoingFlows::timeout(const OutgoingFlow& flow) {
  const Retransmission& options = shared_.options.retransmission;
  Duration chosen = options.fixed_timeout;
  if (options.timer == Retransmission::Timer::adaptive) {
    chosen = flow.round_trip.timeout(options);
    chosen += Duration(shared_.random.below(static_cast<std::uint64_t>(chosen.count()) / 4 + 1));
  }
  if (flow.window.in_flight() > 0 || !flow.awaits_credit() || flow.ask_backoff == 0) return chosen;
  return std::min(std::max(options.longest_timeout, chosen), chosen * (std::int64_t{256} << flow.ask_backoff));
}

}  // namespace ayatori::transport
