#pragma once
/// \file
/// The sending half of an endpoint: which packet goes next, and what is done when a peer says something or says
/// nothing.
///
///     Sender ─┬─ Outbox ─┬─ MessageSlots, Packetizer   messages, and the packets they travel in
///             │          └─ Calls                      which call a reply belongs to, and who owes one
///             ├─ OutgoingFlows                         flows, their states and timers
///             ├─ LossRecovery                          what is lost, and how fast to send
///             └─ ExpressSender                         what needs no acknowledgement

#include <algorithm>
#include <optional>

#include "express_sender.hpp"
#include "loss_recovery.hpp"
#include "outbox.hpp"
#include "outgoing_flows.hpp"
#include "shared.hpp"

namespace ayatori::transport {

class Sender {
 public:
  explicit Sender(Shared& shared);

  [[nodiscard]] bool send(Time now, PeerId to, std::span<const std::byte> message, Token token, bool unordered);
  [[nodiscard]] bool call(Time now, PeerId to, std::span<const std::byte> request, Token token);

  /// See Calls::reserve_reply(). A reserved reply is sent by reply(), or released.
  [[nodiscard]] std::optional<std::uint32_t> reserve_reply(PeerId to, Urgency urgency) {
    return outbox_.calls.reserve_reply(to, urgency);
  }
  void reply(Time now, std::uint32_t slot, std::span<const std::byte> call_id, const OperationResult& result);
  void release_reply(std::uint32_t slot) { outbox_.give_back(slot); }

  /// The token of the call that this reply answers; nothing if it was answered or has failed.
  [[nodiscard]] std::optional<Token> answered(PeerId from, std::uint64_t call_id);

  void on_heard(Time now, PeerId from);
  void on_acknowledgement(Time now, const Packet& packet);
  void on_retire(Time now, const Packet& packet);
  void on_renew(Time now, const Packet& packet);
  void on_reset(const Packet& packet);

  void advance(Time now);
  [[nodiscard]] Time next_deadline() const { return std::min(flows_.deadlines.earliest(), outbox_.calls.next_probe()); }

  /// Fills a fresh packet; false if there is nothing to send.
  [[nodiscard]] bool next_packet(Time now, Packet& packet);
  [[nodiscard]] bool ready() const { return !flows_.ready.empty() || !flows_.express_ready.empty(); }

  /// The same for what travels express; then whether the wire took it.
  [[nodiscard]] bool next_express(Packet& packet) { return express_.next_packet(packet); }
  void settle_express(Time now, bool taken) { express_.settle(now, taken); }

  /// The peer is lost: its messages have failed, its flows are forgotten.
  void abandon(PeerId peer);

  /// Whether something was refused for want of room, and some has become free since.
  [[nodiscard]] bool buffer_became_free();

  void close_idle() { flows_.close_idle(); }
  [[nodiscard]] std::uint32_t contexts() const { return flows_.size(); }
  [[nodiscard]] bool awaits_replies() const { return outbox_.calls.awaits_replies(); }

 private:
  [[nodiscard]] std::optional<ContextId> open_for_message(Time now, PeerId to, std::size_t size);
  void enqueue(ContextId id, std::uint32_t slot);
  void make_ready(ContextId id);
  void send_waiting_replies(Time now);

  void note_heard(ContextId id, Time now);
  void close_or_reopen(ContextId id, Time now);
  void report_lost(ContextId id);
  void time_out(ContextId id, Time now);
  void probe(PeerId peer, Time now);

  [[nodiscard]] bool fill(Packet& packet, ContextId id, Time now);
  [[nodiscard]] bool resend(Packet& packet, ContextId id, Time now);
  [[nodiscard]] bool send_new(Packet& packet, ContextId id);
  void ask(Packet& packet, ContextId id);

  Shared& shared_;
  OutgoingFlows flows_;
  Outbox outbox_;
  LossRecovery recovery_;
  ExpressSender express_;
  bool refused_ = false;
};

}  // namespace ayatori::transport
