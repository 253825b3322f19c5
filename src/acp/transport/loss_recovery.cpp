#include "loss_recovery.hpp"

#include <algorithm>

namespace ayatori::transport {

namespace {

/// A sender among others asks after so many time-outs, in case the receiver has forgotten it.
constexpr std::uint16_t max_unasked_timeouts = 64;

/// A sender with more than that in flight asks after a timeout also among others: the answer costs less
/// than so many copies of packets that a receiver has not got round to.
constexpr std::uint32_t max_resent_unasked = 8;

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
  flow.congestion.on_acknowledged(arrived);
  const std::uint32_t settled =
      before.again_in_flight() - std::min(before.again_in_flight(), flow.window.again_in_flight());
  const std::uint32_t duplicates = said.serial > flow.serial ? said.duplicates - flow.duplicates : 0;
  flow.round_trip.judge(arrived, duplicates, is_of_earlier_copies(flow, said, now) ? settled : 0,
                        shared_.options.retransmission);
  if (said.serial > flow.serial) take_in_newer(id, packet);
  return true;
}

/// Whether the acknowledgement is for a packet that was sent before the last further copy: then what it acknowledges of
/// the copies in flight has arrived without them, and they were sent too soon (RFC 3522, section 3.2). A copy that was
/// sent because an acknowledgement was lost arrives as a duplicate, too, but was not too soon.
bool LossRecovery::is_of_earlier_copies(const OutgoingFlow& flow, const Acknowledgement& said, Time now) {
  const auto since_sent = since_stamp(said.echo, now);
  return since_sent && now - *since_sent + stamp_unit < flow.resent_at;
}

/// What only the latest acknowledgement may say: credit, and what an answer leaves out.
void LossRecovery::take_in_newer(ContextId id, const Packet& packet) {
  const Acknowledgement& said = *packet.acknowledgement;
  OutgoingFlow& flow = flows_[id];
  const bool queued = said.queued && said.credit == 0;
  flow.serial = said.serial;
  flow.duplicates = said.duplicates;
  flow.credit_limit = said.cumulative + said.credit;
  flow.rationed = said.rationed;
  if (flow.credit != CreditState::ask_due) flows_.enter(id, queued ? CreditState::queued : CreditState::granted);
  if (said.credit > 0) flow.ask_backoff = 0;
  if (!said.answer) return;
  if (queued) flow.ask_backoff = static_cast<std::uint8_t>(std::min(flow.ask_backoff + 1, max_ask_backoff));
  declare_lost(id, LossReason::not_in_answer,
               [&](SendWindow& window) { window.lose_below(std::min(packet.sequence, window.next())); });
}

// ---- Losses

void LossRecovery::find_overtaken(ContextId id, const Packet& packet, Time now) {
  OutgoingFlow& flow = flows_[id];
  declare_lost(id, LossReason::overtaken, [](SendWindow& window) { window.lose_overtaken(packet_threshold); });
  if (flow.window.again_in_flight() > 0) {
    // Only the answer to an ask says nothing of later packets: the ask may have overtaken them.
    const auto since_sent = since_stamp(packet.acknowledgement->echo, now);
    flow.resent_overtaken |= since_sent && !packet.acknowledgement->answer && now - *since_sent > flow.resent_at;
  } else {
    flow.resent_overtaken = false;
  }
  if (!flow.resent_overtaken && !flow.window.has_overtaken(1)) {
    flow.overtaken_until = never;
  } else if (flow.overtaken_until == never) {
    flow.overtaken_until = now + reordering_window(flow);
  }
}

bool LossRecovery::lose_overtaken(ContextId id, Time now) {
  OutgoingFlow& flow = flows_[id];
  if (flow.overtaken_until > now) return false;
  flow.overtaken_until = never;
  declare_lost(id, LossReason::overtaken, [&](SendWindow& window) {
    window.lose_overtaken(1);
    if (flow.resent_overtaken) window.lose_again();
  });
  flow.resent_overtaken = false;
  return true;
}

Duration LossRecovery::reordering_window(const OutgoingFlow& flow) const {
  const Retransmission& options = shared_.options.retransmission;
  const bool fixed = options.timer == Retransmission::Timer::fixed;
  return (fixed ? options.fixed_timeout : flow.round_trip.smoothed()) / 4;
}

template <typename Lose>
void LossRecovery::declare_lost(ContextId id, LossReason reason, Lose lose) {
  OutgoingFlow& flow = flows_[id];
  const SendWindow before = flow.window;
  lose(flow.window);
  if (flow.window.in_flight() == before.in_flight()) return;
  note_lost(id, before, reason);
  // What a receiver drops whose buffers are contended for says nothing of the network, and admission deals with it.
  if (shared_.options.retransmission.admission && flow.rationed) return;
  flow.congestion.on_lost(before.in_flight() - flow.window.in_flight());
  if (reason == LossReason::timeout && flow.attempts >= attempts_of_silence) flow.congestion.on_silence();
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
  declare_lost(id, LossReason::timeout, [](SendWindow& window) { window.lose_below(window.next()); });
  if (flow.awaits_credit()) flows_.enter(id, CreditState::granted);
}

/// At the first sign of overflow a sender asks. But credit permits a sender to send those packets. When they collide
/// with those of others, sending them again recovers fastest, without back-off and without an answer of the receiver.
/// The packet of a lone sender can't have collided: it was lost by chance, or waits for a receiver that does not run,
/// and each copy would arrive in addition to it.
bool LossRecovery::resends_unasked(const OutgoingFlow& flow) const {
  return shared_.options.retransmission.admission && flow.rationed && flow.window.outstanding() > 0 &&
         flow.window.in_flight() <= max_resent_unasked && flow.attempts <= max_unasked_timeouts;
}

// ---- For the observer

void LossRecovery::note_acknowledged(ContextId id, const SendWindow& before) const {
  shared_.trace.notify([&](Observer& observer, Time now) {
    const SendWindow& after = flows_[id].window;
    for (Sequence sequence = before.acknowledged(); sequence != before.next(); ++sequence) {
      if (before.settled(sequence) || !after.settled(sequence)) continue;
      observer.packet_acknowledged(now, flows_.name(id), sequence, before.is_lost(sequence));
    }
  });
}

void LossRecovery::note_lost(ContextId id, const SendWindow& before, LossReason reason) const {
  shared_.trace.notify([&](Observer& observer, Time now) {
    const SendWindow& after = flows_[id].window;
    for (Sequence sequence = before.acknowledged(); sequence != before.next(); ++sequence) {
      if (before.is_lost(sequence) || !after.is_lost(sequence)) continue;
      observer.packet_lost(now, flows_.name(id), sequence, reason);
    }
  });
}

void LossRecovery::note_end_of_epoch(ContextId id, LossReason reason) const {
  shared_.trace.notify([&](Observer& observer, Time now) {
    const SendWindow& window = flows_[id].window;
    for (Sequence sequence = window.acknowledged(); sequence != window.next(); ++sequence) {
      if (window.settled(sequence) || window.is_lost(sequence)) continue;
      observer.packet_lost(now, flows_.name(id), sequence, reason);
    }
  });
}

}  // namespace ayatori::transport
