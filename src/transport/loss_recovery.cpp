#include "loss_recovery.hpp"

#include <algorithm>

namespace ayatori::transport {

namespace {

/// A sender with rationed credit asks after so many time-outs, in case the receiver has forgotten it.
constexpr std::uint16_t max_unasked_timeouts = 64;

/// Further doublings would exceed Retransmission::longest_timeout anyway.
constexpr int max_ask_backoff = 8;

}  // namespace

// ---- Acknowledgements

bool LossRecovery::acknowledge(ContextId id, const Packet& packet, Time now) {
  const Acknowledgement& said = *packet.acknowledgement;
  OutgoingFlow& flow = flows_[id];
  const SendWindow before = flow.window;
  if (!flow.window.acknowledge(said.cumulative, said.selective)) return false;
  const std::uint32_t flight = before.in_flight();
  const std::uint32_t arrived = flight - std::min(flight, flow.window.in_flight());
  note_acknowledged(id, before);

  if (const auto round_trip = since_stamp(said.echo, now)) {
    flow.round_trip.sample(*round_trip, said.answer ? RoundTrip::Of::control : RoundTrip::Of::data);
  }
  grow_window(id, arrived);
  if (said.serial > flow.serial) take_in_newer(id, packet, arrived);
  return true;
}

/// What only the latest acknowledgement may say: credit, duplicates, and what an answer leaves out.
void LossRecovery::take_in_newer(ContextId id, const Packet& packet, std::uint32_t arrived) {
  const Acknowledgement& said = *packet.acknowledgement;
  OutgoingFlow& flow = flows_[id];
  const bool queued = said.queued && said.credit == 0;
  flow.serial = said.serial;
  flow.credit_limit = said.cumulative + said.credit;
  flow.rationed = said.rationed;
  if (flow.credit != CreditState::ask_due) flows_.enter(id, queued ? CreditState::queued : CreditState::granted);
  if (said.credit > 0) flow.ask_backoff = 0;
  shared_.trace.tell([&](Observer& observer, Time at) {
    observer.credit_received(at, flows_.name(id), {flow.credit_limit, flow.rationed, queued});
  });
  flow.round_trip.judge(arrived, said.duplicates - flow.duplicates, shared_.options.retransmission);
  flow.duplicates = said.duplicates;
  if (!said.answer) return;
  if (queued) flow.ask_backoff = static_cast<std::uint8_t>(std::min(flow.ask_backoff + 1, max_ask_backoff));
  declare_lost(id, std::min(packet.sequence, flow.window.next()), LossReason::not_in_answer);
}

void LossRecovery::grow_window(ContextId id, std::uint32_t arrived) {
  OutgoingFlow& flow = flows_[id];
  const std::uint32_t before = flow.congestion.window();
  flow.congestion.on_acknowledged(arrived);
  note_window(id, before);
}

// ---- Losses

void LossRecovery::find_overtaken(ContextId id) {
  OutgoingFlow& flow = flows_[id];
  const Sequence end = flow.window.overtaken_end(packet_threshold);
  if (end <= flow.window.acknowledged() || flow.window.acknowledged() < flow.recovery_end) return;
  declare_lost(id, end, LossReason::overtaken);
  flow.recovery_end = flow.window.next();
}

void LossRecovery::declare_lost(ContextId id, Sequence end, LossReason reason) {
  OutgoingFlow& flow = flows_[id];
  const SendWindow before = flow.window;
  flow.window.lose_below(end);
  if (flow.window.in_flight() == before.in_flight()) return;
  note_lost(id, before, reason);
  const std::uint32_t window = flow.congestion.window();
  if (reason == LossReason::timeout) {
    flow.congestion.on_timeout();
  } else {
    flow.congestion.on_loss();
  }
  note_window(id, window);
}

// ---- Time-outs

bool LossRecovery::is_peer_lost(const OutgoingFlow& flow, Time now) const {
  const Options& options = shared_.options;
  const bool silent = flow.unanswered_since != never && now - flow.unanswered_since >= options.give_up_after;
  return silent && flow.attempts >= options.give_up_attempts;
}

void LossRecovery::time_out(ContextId id) {
  OutgoingFlow& flow = flows_[id];
  const bool unanswered = flow.unanswered_since != never;
  if (unanswered) ++flow.attempts;
  const bool unasked = resends_unasked(flow);
  if ((unanswered || flow.window.in_flight() > 0) && !unasked) flow.round_trip.timed_out();
  if (flow.window.outstanding() == 0 || (shared_.options.retransmission.admission && !unasked)) {
    return flows_.enter(id, CreditState::ask_due);
  }
  declare_lost(id, flow.window.next(), LossReason::timeout);
  if (flow.awaits_credit()) flows_.enter(id, CreditState::granted);
}

/// At the first sign of overflow a sender asks. But rationed credit is the receiver's leave to send those packets: when
/// they collide with others, it is soonest mended by sending again, without back-off and without costing the receiver
/// an answer.
bool LossRecovery::resends_unasked(const OutgoingFlow& flow) const {
  return shared_.options.retransmission.admission && flow.rationed && flow.window.outstanding() > 0 &&
         flow.attempts <= max_unasked_timeouts;
}

// ---- For the observer

void LossRecovery::note_acknowledged(ContextId id, const SendWindow& before) const {
  shared_.trace.tell([&](Observer& observer, Time now) {
    const SendWindow& after = flows_[id].window;
    for (Sequence sequence = before.acknowledged(); sequence != before.next(); ++sequence) {
      if (before.settled(sequence) || !after.settled(sequence)) continue;
      observer.packet_acknowledged(now, flows_.name(id), sequence, before.is_lost(sequence));
    }
  });
}

void LossRecovery::note_lost(ContextId id, const SendWindow& before, LossReason reason) const {
  shared_.trace.tell([&](Observer& observer, Time now) {
    const SendWindow& after = flows_[id].window;
    for (Sequence sequence = before.acknowledged(); sequence != before.next(); ++sequence) {
      if (before.is_lost(sequence) || !after.is_lost(sequence)) continue;
      observer.packet_lost(now, flows_.name(id), sequence, reason);
    }
  });
}

void LossRecovery::note_end_of_epoch(ContextId id, LossReason reason) const {
  shared_.trace.tell([&](Observer& observer, Time now) {
    const SendWindow& window = flows_[id].window;
    for (Sequence sequence = window.acknowledged(); sequence != window.next(); ++sequence) {
      if (window.settled(sequence) || window.is_lost(sequence)) continue;
      observer.packet_lost(now, flows_.name(id), sequence, reason);
    }
  });
}

void LossRecovery::note_window(ContextId id, std::uint32_t before) const {
  shared_.trace.tell([&](Observer& observer, Time now) {
    const std::uint32_t after = flows_[id].congestion.window();
    if (after != before) observer.congestion_window_changed(now, flows_.name(id), before, after);
  });
}

}  // namespace ayatori::transport
