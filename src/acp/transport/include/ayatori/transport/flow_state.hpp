#pragma once
/// \file
/// The states of an outgoing flow. Four things are independent of each other, and each has its own small state machine:
///
/// Phase: the life of the flow and of its epoch.
///
///     closed ──open──▶ open ──retire──▶ retiring ──all acknowledged, more to send──▶ held
///                       ▲                                                              │
///                       └──────────────────────── hold time over ──────────────────────┘
///     open, retiring, held ──renew (a new epoch)──▶ open
///     open, retiring, held ──idle for long, context needed, or peer lost──▶ closed
///
/// CreditState: whether the receiver lets the flow send.
///
///     granted ──time-out, probe──▶ ask_due ──ask sent──▶ asked ──acknowledgement──▶ granted or queued
///     granted ──credit used up, nothing in flight: ask sent──▶ asked
///     granted ──acknowledgement without credit──▶ queued ──acknowledgement with credit, time-out──▶ granted
///     asked ──time-out──▶ granted;   asked, queued ──time-out, probe──▶ ask_due
///     all ──new epoch──▶ granted
///
/// Activity: whether the context may be given to another peer.
///
///     idle ──message queued──▶ active ──all acknowledged──▶ idle
///     idle, active ──is the peer alive?──▶ probing ──heard of it──▶ idle or active
///
/// ExpressState: whether packets may travel express (docs/decisions/0103-express-packets.md).
///
///     off
///     allowed ──the wire took a packet──▶ unconfirmed ──confirmation due──▶ suspended ──acknowledgement──▶ allowed
///     allowed, unconfirmed ──refused by the wire for long──▶ suspended

#include <cstdint>

namespace ayatori::transport {

enum class Phase : std::uint8_t {
  closed,    ///< no context: before the first message, and after the last
  open,      ///< sends what credit and congestion window allow
  retiring,  ///< starts no new message; closes, or becomes held, as soon as all that was sent is acknowledged
  held,      ///< sends nothing for a while, so that another peer gets the receiver's context
};

enum class CreditState : std::uint8_t {
  granted,  ///< packets below the credit limit may be sent
  ask_due,  ///< the next packet that is not data asks what has arrived, and for credit
  asked,    ///< that was sent, and its answer has not come
  queued,   ///< the receiver has no credit for this flow now, and will grant some without being asked
};

enum class Activity : std::uint8_t {
  idle,     ///< nothing to send, nothing unacknowledged
  active,   ///< messages are queued or unacknowledged
  probing,  ///< asks whether the peer is alive, whether or not messages are queued
};

enum class ExpressState : std::uint8_t {
  off,          ///< the wire to this peer may lose datagrams
  allowed,      ///< the peer has taken in all that went express
  unconfirmed,  ///< packets may go express, but the peer has not confirmed the last ones
  suspended,    ///< nothing goes express before an acknowledgement has come
};

}  // namespace ayatori::transport
