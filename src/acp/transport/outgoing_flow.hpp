#pragma once
/// \file
/// What a sender knows of one peer while it has something for it.

#include "ayatori/transport/flow_state.hpp"
#include "ayatori/transport/queues.hpp"
#include "congestion_control.hpp"
#include "express_path.hpp"
#include "round_trip.hpp"
#include "windows.hpp"

namespace ayatori::transport {

/// A flow that is open. Sequences start at 0 in each epoch; a message belongs to the epoch as soon as its first packet
/// is sent, and leaves it acknowledged, failed, or because the receiver said that it never accepted the epoch.
///
/// Phase, credit and activity are changed by OutgoingFlows::enter() only, which tells the observer.
struct OutgoingFlow {
  Epoch epoch = 0;
  SendWindow window;
  FlowCongestionController congestion;
  Sequence credit_limit = 0;     // packets below may be sent, as far as the receiver is concerned
  std::uint32_t serial = 0;      // of the latest acknowledgement; 0 if there was none
  std::uint32_t duplicates = 0;  // that the receiver has counted
  RoundTrip round_trip;
  Time heard{};                     // of the peer, last; when the flow was opened if never
  Time unanswered_since = never;    // the first attempt after `heard`
  Time held_until{};                // the end of Phase::held
  Time resent_at{};                 // when a further copy was sent last
  Time overtaken_until = never;     // what is overtaken and does not come until then is lost
  SlotQueue queue;                  // messages of which not all packets are acknowledged
  std::uint32_t unsent = no_id;     // the first message of the queue with packets that were never sent …
  std::uint32_t unsent_packet = 0;  // … and which of its packets is next
  std::uint16_t attempts = 0;       // time-outs since `heard`
  std::uint8_t ask_backoff = 0;     // asks that were answered "no credit now": doubles the wait for the announced grant
  bool resent_overtaken = false;    // something arrived that was sent after all further copies in flight
  bool rationed = false;            // others have credit for the same buffers, see Admission::contended()
  Phase phase = Phase::closed;
  CreditState credit = CreditState::granted;
  Activity activity = Activity::idle;
  ExpressPath express;

  /// Nothing of the epoch is under way, and no message has only some of its packets in it.
  [[nodiscard]] bool may_close() const { return window.outstanding() == 0 && unsent_packet == 0; }

  [[nodiscard]] bool has_unsent() const { return unsent != no_id; }

  /// Something should be sent. Whether it may be sent now, may_send() and the phase say.
  [[nodiscard]] bool wants_to_send() const {
    return has_unsent() || credit == CreditState::ask_due || window.first_lost().has_value();
  }

  [[nodiscard]] bool may_send(Sequence sequence) const {
    return sequence < credit_limit && window.in_flight() < congestion.window();
  }

  /// Something should be sent, nothing is in flight whose acknowledgement could allow it, and no grant is announced.
  [[nodiscard]] bool needs_credit() const {
    if (credit != CreditState::granted || window.in_flight() > 0) return false;
    if (phase == Phase::retiring && may_close()) return false;
    const Sequence wanted = window.first_lost().value_or(window.next());
    return (wanted < window.next() || has_unsent()) && wanted >= credit_limit;
  }

  /// Whether the receiver answers, or grants, without another packet from here.
  [[nodiscard]] bool awaits_credit() const { return credit == CreditState::asked || credit == CreditState::queued; }
};

}  // namespace ayatori::transport
