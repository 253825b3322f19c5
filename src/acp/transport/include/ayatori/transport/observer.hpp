#pragma once
/// \file
/// Sees what becomes of every packet that an endpoint sends, and the states of its flows: tests check them, and so a
/// flow that stalls can be inspected. Without an observer each decision costs one predictable branch.

#include <cstdint>

#include "ayatori/transport/contexts.hpp"
#include "ayatori/transport/flow_state.hpp"
#include "ayatori/transport/packet.hpp"
#include "ayatori/transport/time.hpp"

namespace ayatori::transport {

/// Names a flow between this endpoint and a peer. Outgoing flows and incoming ones have epochs of different clocks.
struct FlowName {
  PeerId peer = 0;
  Lane lane = Lane::messages;
  Epoch epoch = 0;
};

/// A datagram that was handed to the wire. Data packets are numbered by `sequence` within their flow,
/// and a packet that is sent again keeps its number. Puts and gets belong to no flow: the epoch numbers each copy.
struct PacketSeen {
  PacketKind kind = PacketKind::data;
  FlowName flow;
  Sequence sequence = 0;
  bool resent = false;
};

enum class LossReason : std::uint8_t {
  overtaken,      ///< three packets sent after it have arrived (RFC 9002, section 6.1.1)
  not_in_answer,  ///< the receiver was asked, and does not have it
  timeout,        ///< nothing was heard for a whole timeout
  renewed,        ///< its epoch was never accepted; the message starts again under a new one
  peer_lost,      ///< the peer is gone, or has forgotten the flow
};

/// All calls come from within the endpoint's functions, on their thread, and may call nothing of the endpoint. `now` is
/// the time that was passed to the endpoint last.
class Observer {
 public:
  virtual ~Observer() = default;

  virtual void packet_sent(Time /*now*/, const PacketSeen&) {}

  /// The data packet, put or get is known to have arrived. `late`: it was declared lost before, without reason.
  virtual void packet_acknowledged(Time /*now*/, const FlowName&, Sequence, bool /*late*/) {}

  /// The data packet, put or get that was in flight will be sent again, or given up.
  virtual void packet_lost(Time /*now*/, const FlowName&, Sequence, LossReason) {}

  /// An outgoing flow has changed its state; flow_state.hpp has the diagrams.
  virtual void state_changed(Time /*now*/, const FlowName&, Phase /*from*/, Phase /*to*/) {}
  virtual void state_changed(Time /*now*/, const FlowName&, CreditState /*from*/, CreditState /*to*/) {}
  virtual void state_changed(Time /*now*/, const FlowName&, Activity /*from*/, Activity /*to*/) {}
};

}  // namespace ayatori::transport
