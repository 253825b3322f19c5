#pragma once
/// \file
/// What is lost, and what follows from it, for packets of flows. The terms are those of RFC 9002.
///
/// A packet is declared lost
///   - when three that were sent after it have arrived (section 6.1.1),
///   - when one that was sent after it has arrived, and it is still missing a quarter of a round trip later (the
///     reordering window of RFC 8985, section 6.2); this also covers retransmissions and the last packets,
///   - when the receiver was asked and does not have it.
/// First copies are sent in sequence order. For a retransmission, the timestamp that the acknowledgement echoes says
/// whether a packet sent later has arrived. After a timeout the sender asks, as a probe timeout does (section 6.2): it
/// learns what has arrived, and whether it may send. Without admission, or where others have credit for the same
/// buffers, it declares all lost and sends again without asking.

#include "outgoing_flows.hpp"
#include "shared.hpp"

namespace ayatori::transport {

class LossRecovery {
 public:
  /// RFC 9002's kPacketThreshold.
  static constexpr std::uint32_t packet_threshold = 3;

  LossRecovery(Shared& shared, OutgoingFlows& flows) : shared_(shared), flows_(flows) {}

  /// Takes in what an acknowledgement says of packets, and measures the round trip. False, and nothing happens, if it
  /// was overtaken by a later one, or is about packets that were never sent.
  [[nodiscard]] bool acknowledge(ContextId id, const Packet& packet, Time now);

  /// Declares packets lost that three later ones have overtaken. If only one or two have, sets the time at which
  /// lose_overtaken() declares them lost.
  void find_overtaken(ContextId id, const Packet& packet, Time now);

  /// Declares overtaken packets lost if their reordering window has passed; false if it has not.
  bool lose_overtaken(ContextId id, Time now);

  /// Nothing was heard of the flow for a whole timeout: asks, or sends again.
  void time_out(ContextId id);

  /// Whether the peer of a flow was silent for so long, and left so many attempts unanswered, that it is lost.
  [[nodiscard]] bool is_peer_lost(const OutgoingFlow& flow, Time now) const;

  /// Reports to the observer all packets in flight as lost for this reason, since the epoch ends.
  void note_end_of_epoch(ContextId id, LossReason reason) const;

 private:
  void take_in_newer(ContextId id, const Packet& packet);
  [[nodiscard]] static bool is_of_earlier_copies(const OutgoingFlow& flow, const Acknowledgement& said, Time now);
  [[nodiscard]] Duration reordering_window(const OutgoingFlow& flow) const;

  /// Declares lost what `lose(window)` says.
  template <typename Lose>
  void declare_lost(ContextId id, LossReason reason, Lose lose);
  [[nodiscard]] bool resends_unasked(const OutgoingFlow& flow) const;

  void note_acknowledged(ContextId id, const SendWindow& before) const;
  void note_lost(ContextId id, const SendWindow& before, LossReason reason) const;

  Shared& shared_;
  OutgoingFlows& flows_;
};

}  // namespace ayatori::transport
