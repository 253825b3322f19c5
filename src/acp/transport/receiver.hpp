#pragma once
/// \file
/// The receiving half of an endpoint: flows from peers, messages that are not
/// complete or out of order, and acknowledgements to send.

#include <optional>

#include "admission.hpp"
#include "ayatori/transport/contexts.hpp"
#include "ayatori/transport/queues.hpp"
#include "deadlines.hpp"
#include "epochs.hpp"
#include "sender.hpp"
#include "shared.hpp"
#include "windows.hpp"

namespace ayatori::transport {

/// A message that is not complete, or out of order.
struct Assembly {
  std::byte* memory = nullptr;  // from Application::reserve
  Bytes size = 0;
  Bytes received = 0;
  Sequence first = 0;           // of its packets
  std::uint32_t next = no_id;   // in its flow's chain, by rising `first`; or in the free chain
  std::uint32_t reply = no_id;  // a call's reserved message slot
  MessageKind kind = MessageKind::plain;
  bool unordered = false;
  bool several = false;    // the messages of a coalesced packet
  bool in_pieces = false;  // it comes in several packets
};

struct IncomingFlow {
  Epoch epoch = 0;
  ReceiveWindow window;
  std::uint32_t serial = 0;   // acknowledgements sent
  Sequence credit_limit = 0;  // what the last one allowed the sender
  std::uint32_t duplicates = 0;
  std::uint32_t echo = 0;            // stamp of the first packet since the last acknowledgement
  std::uint32_t unacknowledged = 0;  // packets since the last acknowledgement
  Time acknowledge_by = never;
  std::optional<Sequence> asked;     // the sequence of an ask that was not answered yet
  std::uint32_t assemblies = no_id;  // chain
  Time heard{};
  Time retire_since = never;  // when the sender was first asked to close, if it has not answered
  Time retire_asked = never;  // … and when last
  std::uint32_t retire_attempts = 0;
};

/// The flows that were given up although their sender never closed them. Part of them was delivered, so their senders
/// must reset, whereas the sender of a flow that was never accepted must renew.
class AbandonedFlows {
 public:
  void add(PeerId peer, Epoch epoch);
  [[nodiscard]] bool may_contain(PeerId peer, Epoch epoch) const;

 private:
  struct Flow {
    PeerId peer = 0;
    Epoch epoch = 0;
  };

  static constexpr std::size_t capacity = 256;
  std::array<Flow, capacity> flows_{};
  std::size_t next_ = 0;
  Epoch overwritten_ = 0;  // the highest epoch that fell out of the ring
};

class Receiver {
 public:
  Receiver(Shared& shared, Sender& sender, Epoch floor);

  void on_data(Time now, const Packet& packet);
  void on_express(const Packet& packet);
  void on_ask(Time now, const Packet& packet);
  void on_close(const Packet& packet);

  /// The peer is lost: forgets its flows and what was kept for them.
  void abandon(PeerId peer);

  /// Before destruction: gives the application its memory back.
  void release_memory();

  /// Asks all senders to close their flows as soon as they can.
  void retire_all(Time now);

  void advance(Time now);
  [[nodiscard]] Time next_deadline() const { return deadlines_.earliest(); }

  /// An acknowledgement that is due: to this peer, to travel with data; or to any, as a packet of its own.
  [[nodiscard]] std::optional<Acknowledgement> take_owed(PeerId peer);
  [[nodiscard]] std::optional<Packet> next_packet();
  [[nodiscard]] bool owes() const { return !owed_.empty(); }

  [[nodiscard]] std::uint32_t contexts() const { return flows_.size(); }
  [[nodiscard]] std::uint32_t total_credit() const { return admission_.total_credit(); }
  [[nodiscard]] Epoch highest_floor() const { return floors_.highest(); }

 private:
  [[nodiscard]] std::optional<ContextId> admit(Time now, const Packet& packet);
  [[nodiscard]] std::optional<ContextId> open(Time now, const Packet& packet);
  void forget(ContextId id);

  [[nodiscard]] bool place(ContextId id, const Packet& packet);
  [[nodiscard]] bool deliver_now(const Packet& packet);
  [[nodiscard]] bool keep(IncomingFlow& flow, const Packet& packet);
  [[nodiscard]] std::uint32_t assembly_for(IncomingFlow& flow, const Packet& packet);
  [[nodiscard]] std::optional<Assembly> new_assembly(const Packet& packet, Urgency urgency);
  void free(std::uint32_t assembly);
  void deliver_complete(IncomingFlow& flow, PeerId peer);
  void deliver(PeerId peer, MessageKind kind, std::span<const std::byte> bytes, std::byte* reserved,
               std::uint32_t reply);
  void deliver_several(PeerId peer, std::span<const std::byte> bytes, std::byte* reserved);
  void deliver_reply(PeerId peer, std::span<const std::byte> bytes, std::byte* reserved);

  void owe_for(ContextId id, const Packet& packet, Time now);
  void owe(ContextId id, const Packet& packet);
  [[nodiscard]] Acknowledgement acknowledge(ContextId id);
  void grant(Time now);

  [[nodiscard]] std::uint32_t max_contexts(Lane lane) const;
  [[nodiscard]] std::uint32_t free_contexts(Lane lane) const;
  [[nodiscard]] IdQueue& recency_like(ContextId id) { return recency_[static_cast<std::size_t>(flows_.key(id).lane)]; }
  void retire_oldest(Lane lane, Time now);
  void ask_to_retire(ContextId id, Time now);
  void check_retiring(ContextId id, Time now);
  [[nodiscard]] Time retire_due(const IncomingFlow& flow) const;
  void arm(ContextId id);

  Shared& shared_;
  Sender& sender_;
  EpochFloors floors_;
  AbandonedFlows abandoned_;
  Admission admission_;
  ContextTable<IncomingFlow> flows_;
  std::vector<Assembly> assemblies_;
  std::uint32_t free_assembly_ = no_id;
  std::uint32_t free_assemblies_ = 0;
  IdQueue owed_;                    // flows whose acknowledgement should go now
  std::array<IdQueue, 2> recency_;  // by lane, all flows, the one heard of longest ago first
  Deadlines deadlines_;
};

}  // namespace ayatori::transport
