#pragma once
/// \file
/// The flows to peers: which are open, in which state, which want to send, and when each has its next timeout.

#include <array>
#include <optional>

#include "ayatori/transport/contexts.hpp"
#include "ayatori/transport/queues.hpp"
#include "deadlines.hpp"
#include "outgoing_flow.hpp"
#include "shared.hpp"

namespace ayatori::transport {

class OutgoingFlows {
 public:
  explicit OutgoingFlows(Shared& shared);

  [[nodiscard]] OutgoingFlow& operator[](ContextId id) { return flows_[id]; }
  [[nodiscard]] const OutgoingFlow& operator[](ContextId id) const { return flows_[id]; }
  [[nodiscard]] PeerId peer(ContextId id) const { return flows_.peer(id); }
  [[nodiscard]] Lane lane(ContextId id) const { return flows_.key(id).lane; }
  [[nodiscard]] FlowName name(ContextId id) const { return {peer(id), lane(id), flows_[id].epoch}; }
  [[nodiscard]] std::uint32_t size() const { return flows_.size(); }

  /// The open flow of a lane to a peer, or the one that has this epoch.
  [[nodiscard]] std::optional<ContextId> find(FlowKey key) const { return flows_.find(key); }
  [[nodiscard]] std::optional<ContextId> find(PeerId peer, Epoch epoch) const;

  /// The flow of a lane to a peer, opened if there is none, in an idle one's place if the table is full. Nothing: all
  /// contexts are busy. The caller queues a message, or probes.
  [[nodiscard]] std::optional<ContextId> open(Time now, FlowKey key);

  /// Gives the flow a new epoch, in which all that is not acknowledged starts again from sequence 0.
  void start_epoch(ContextId id, Time now, Phase phase);

  /// Notifies the receiver that all of the flow is acknowledged, and forgets it.
  void close(ContextId id);
  void close_idle();

  /// Forgets the flow; its messages have gone before.
  void forget(ContextId id);

  /// Changes a state. Nothing happens if the flow is in it.
  void enter(ContextId id, Phase to);
  void enter(ContextId id, CreditState to);
  void enter(ContextId id, Activity to);

  /// Idle, or active, by what is left to do; a flow that probes goes on with that until end_probe().
  void update_activity(ContextId id) {
    if (flows_[id].activity != Activity::probing) end_probe(id);
  }
  void end_probe(ContextId id);

  /// Puts an idle flow among those whose context may be taken.
  void offer_context(ContextId id);
  void keep_context(ContextId id) { idle_like(id).remove(id); }

  /// Sets the flow's deadline to the end of what it waits for: an acknowledgement, a hold, or to be closed unused.
  void arm(ContextId id, Time now);
  [[nodiscard]] Duration timeout(const OutgoingFlow& flow);

  IdQueue ready;          // flows that may have something to send
  IdQueue express_ready;  // flows that may have something to send express; the first one's has to be settled
  Deadlines deadlines;
  bool freed = false;  // a context may be had that was not free before

 private:
  [[nodiscard]] bool full(Lane lane) const;
  [[nodiscard]] IdQueue& idle_like(ContextId id) { return idle_[static_cast<std::size_t>(lane(id))]; }

  template <typename State>
  void notify(ContextId id, State from, State to) const {
    shared_.trace.notify([&](Observer& observer, Time now) { observer.state_changed(now, name(id), from, to); });
  }

  Shared& shared_;
  ContextTable<OutgoingFlow> flows_;
  std::array<IdQueue, 2> idle_;  // by lane, flows that are idle: the first one's context is taken first
  RoundTrip typical_;            // of the flow that was closed last: where a new one starts
};

}  // namespace ayatori::transport
