#pragma once
/// \file
/// The sending half of an endpoint: flows to peers, what is under way in them,
/// and when to send it again.

#include <optional>

#include "ayatori/transport/contexts.hpp"
#include "ayatori/transport/queues.hpp"
#include "deadlines.hpp"
#include "epochs.hpp"
#include "messages.hpp"
#include "round_trip.hpp"
#include "shared.hpp"
#include "windows.hpp"

namespace ayatori::transport {

/// How far a flow's packets may travel express: see docs/decisions/0103-express-packets.md.
enum class Express : std::uint8_t {
  off,          ///< the wire to this peer may lose
  allowed,      ///< all that went express was taken in
  unconfirmed,  ///< allowed, but that the last of them were taken in is not known
  suspended,    ///< not before an acknowledgement has come
};

/// What a sender knows of one peer while it has something for it. Sequences start at 0 in each epoch; a message belongs
/// to the epoch as soon as its first packet is sent, and leaves it acknowledged, failed, or because the receiver said
/// that it never accepted the epoch.
struct OutgoingFlow {
  Epoch epoch = 0;
  SendWindow window;
  Sequence limit = 0;            // the receiver welcomes packets below
  std::uint32_t width = 0;       // most packets in flight
  std::uint32_t grown = 0;       // arrivals since the width last grew
  std::uint32_t serial = 0;      // of the latest acknowledgement
  std::uint32_t duplicates = 0;  // that the receiver has counted
  Sequence recovery_end = 0;     // packets below are recovered already, no second fast resend for them
  RoundTrip round_trip;
  Time heard{};                     // of the peer, last; when the flow was opened if never
  Time unanswered_since = never;    // first attempt after `heard`
  Time held_until{};                // no sending before: lets others have the receiver's context
  SlotQueue queue;                  // not all of their packets are acknowledged
  std::uint32_t unsent = no_id;     // first message of the queue with packets that were never sent …
  std::uint32_t unsent_packet = 0;  // … and which of its packets is next
  std::uint16_t attempts = 0;       // unanswered
  std::uint8_t patience = 0;        // asks answered with "wait"
  Express express = Express::off;
  Time refused_since = never;  // by the wire, of what should go express
  bool ask_due = false;
  bool probing = false;   // asks only to learn whether the peer still lives
  bool waiting = false;   // the receiver will grant a window unasked
  bool placed = false;    // the window is a share of the receiver's buffers
  bool retiring = false;  // give the epoch up as soon as nothing is under way
};

class Sender {
 public:
  explicit Sender(Shared& shared);

  [[nodiscard]] bool send(Time now, PeerId to, std::span<const std::byte> message, Token token, bool unordered);
  [[nodiscard]] bool call(Time now, PeerId to, std::span<const std::byte> request, Token token);

  /// Room for the reply to a call, before the call may be accepted; then the reply itself, or the room back. Replies
  /// have slots and contexts of their own, so that operations which wait for each other in a circle of peers come to an
  /// end.
  [[nodiscard]] std::optional<std::uint32_t> promise_reply(PeerId to, Urgency urgency);
  void reply(Time now, std::uint32_t slot, std::span<const std::byte> call_id, const OperationResult& result);
  void break_promise(std::uint32_t slot) { give_back(slot); }

  /// The token of the call that this reply answers; nothing if it was answered or has failed.
  [[nodiscard]] std::optional<Token> answered(PeerId from, std::uint64_t call_id);

  void on_heard(Time now, PeerId from);
  void on_acknowledgement(Time now, const Packet& packet);
  void on_retire(Time now, const Packet& packet);
  void on_renew(Time now, const Packet& packet);
  void on_reset(const Packet& packet);

  void advance(Time now);
  [[nodiscard]] Time next_deadline() const {
    return std::min(deadlines_.earliest(), awaiting_ > 0 ? next_probe_ : never);
  }

  /// Fills a fresh packet; false if there is nothing to send.
  [[nodiscard]] bool next_packet(Time now, Packet& packet);
  [[nodiscard]] bool ready() const { return !ready_.empty() || !express_ready_.empty(); }

  /// The same for what travels express; then whether the wire took it.
  [[nodiscard]] bool next_express(Packet& packet);
  void settle_express(Time now, bool taken);

  /// The peer is lost: its messages have failed, its flow goes.
  void abandon(PeerId peer);

  /// Whether something was refused for want of room, and some has become free since.
  [[nodiscard]] bool take_news_of_room();

  void close_idle();
  [[nodiscard]] std::uint32_t contexts() const { return flows_.size(); }
  [[nodiscard]] bool awaits_replies() const { return awaiting_ > 0; }  ///< to calls that were delivered

 private:
  [[nodiscard]] std::optional<ContextId> open(Time now, FlowKey key);
  [[nodiscard]] std::optional<ContextId> find(PeerId peer, Epoch epoch) const;
  [[nodiscard]] bool full(Lane lane) const;
  [[nodiscard]] IdQueue& idle_like(ContextId id) { return idle_[static_cast<std::size_t>(flows_.key(id).lane)]; }
  void note_heard(ContextId id, Time now);
  void abandon_flow(ContextId id);
  void start_epoch(OutgoingFlow& flow, Time now);
  void enqueue(ContextId id, std::uint32_t slot);
  [[nodiscard]] std::optional<ContextId> room_for(Time now, PeerId to, std::size_t size);
  void become_idle(ContextId id);
  void forget(ContextId id);
  void give_back(std::uint32_t slot);
  void send_waiting_replies(Time now);
  void fail_awaiting(PeerId peer);
  void probe_awaited(Time now);
  void close(ContextId id);
  void lose(ContextId id);
  void close_or_reopen(ContextId id, Time now);

  void acknowledge_messages(OutgoingFlow& flow, Time now);
  void complete(std::uint32_t slot, Time now);
  void widen(OutgoingFlow& flow, std::uint32_t arrived);
  void take_answer(OutgoingFlow& flow, const Packet& packet);
  void recover_overtaken(OutgoingFlow& flow);
  void declare_lost(OutgoingFlow& flow, Sequence end);

  [[nodiscard]] bool fill(Packet& packet, ContextId id, Time now);
  [[nodiscard]] bool resend(Packet& packet, OutgoingFlow& flow);
  [[nodiscard]] bool send_new(Packet& packet, OutgoingFlow& flow);
  void make_ready(ContextId id);
  [[nodiscard]] bool travels_express(const OutgoingFlow& flow) const;
  void finish_express(ContextId id, Time now);
  void hold_express(ContextId id, Time now);
  [[nodiscard]] bool express_is_due(ContextId id, Time now);
  void ask(Packet& packet, ContextId id);
  void board(OutgoingFlow& flow, Sequence sequence);
  [[nodiscard]] std::uint32_t slot_of(const OutgoingFlow& flow, Sequence sequence) const;
  void load(Packet& packet, const OutgoingFlow& flow, std::uint32_t slot, Sequence sequence);
  [[nodiscard]] bool wants_to_send(const OutgoingFlow& flow) const;
  [[nodiscard]] bool may_send(const OutgoingFlow& flow, Sequence sequence) const;
  [[nodiscard]] bool needs_to_ask(const OutgoingFlow& flow) const;
  [[nodiscard]] bool idle(const OutgoingFlow& flow) const {
    return flow.queue.empty() && !flow.probing && flow.express != Express::suspended;
  }
  [[nodiscard]] bool may_close(const OutgoingFlow& flow) const;

  void time_out(ContextId id, Time now);
  [[nodiscard]] bool mends_collision(const OutgoingFlow& flow) const;
  void arm(ContextId id, Time now);
  [[nodiscard]] Duration timeout(const OutgoingFlow& flow);

  Shared& shared_;
  Cutter cutter_;
  ContextTable<OutgoingFlow> flows_;
  MessageSlots messages_;
  std::uint32_t replies_ = 0;   // of the slots, taken for replies
  std::uint32_t awaiting_ = 0;  // … and by calls that were delivered and have no reply yet
  SlotQueue waiting_replies_;   // for a context
  Time next_probe_{};
  bool refused_ = false;
  bool freed_ = false;
  IdQueue ready_;                // flows that may have something to send
  IdQueue express_ready_;        // flows that may have something to send express; the first one's has to be settled
  std::array<IdQueue, 2> idle_;  // by lane, flows that have nothing under way: the first may be closed for another
  Deadlines deadlines_;
  RoundTrip typical_;  // of the flow that was closed last: where a new one starts
};

}  // namespace ayatori::transport
