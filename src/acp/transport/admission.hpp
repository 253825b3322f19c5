#pragma once
/// \file
/// Which peers may send while a receiver has fewer buffers than senders: credit, as flow control has it.

#include <cstdint>
#include <optional>
#include <vector>

#include "ayatori/transport/contexts.hpp"
#include "ayatori/transport/options.hpp"
#include "ayatori/transport/queues.hpp"
#include "ayatori/transport/time.hpp"
#include "round_trip.hpp"

namespace ayatori::transport {

/// Decides which senders may send, once a receiver's buffers have overflowed.
///
/// At first admission is *open*: every flow has the whole window. When a sender reports a packet that never came,
/// admission starts *rationing*: it hands out *credit*, which is the right to have so many packets in flight. One
/// sender gets at most as much credit as there are buffers, since what it sends in one burst must fit. A sender that
/// has credit sends without asking again; after a quantum of packets, if others wait, its credit goes to the one that
/// has waited longest.
///
/// All senders together get more credit than there are buffers. A packet in flight fills no buffer yet: with as much
/// credit as buffers, a receiver would idle for a round trip between any two packets of a buffer. So there is
/// `in_transit` more to begin with, and the total is adapted after every `judged_packets` packets for each credit. With
/// L packets lost among A that arrived, and senders waiting,
///
///     L < 3/4 A:  total += 1 + total / 4        L > A:  total -= 1, never below the number of buffers
///
/// A packet that finds no buffer costs the receiver nothing; an idle receiver costs throughput, and so does a grant, a
/// packet of its own that nothing arrives for: hence the tolerance for losses (decision 102). With buffers enough to
/// cover a round trip hardly any occur. Admission opens again when nobody waits and no loss was seen for a while.
/// Credit whose owner is silent for twice the usual time between grant and packet is taken back.
///
/// Deterministic; not thread-safe. `ContextId`s are the receiver's own.
class Admission {
 public:
  static constexpr std::uint32_t quantum = 64;  ///< packets
  static constexpr std::uint32_t in_transit = 64;
  static constexpr std::uint32_t judged_packets = 4;

  explicit Admission(const Options& options);

  /// The flow's sender asks after a packet that never came.
  void overflowed(ContextId flow, Time now);

  /// The flow's sender has more to send than its credit allows.
  void wants(ContextId flow);

  /// A new packet of the flow came.
  void arrived(ContextId flow, const Packet& packet, Time now);

  void leave(ContextId flow);

  /// Gives free credit to the flow that has waited longest. The caller notifies its sender, and calls until there is
  /// none.
  std::optional<ContextId> grant(Time now);

  /// When to call expire() for this flow; `never` if it has no credit.
  [[nodiscard]] Time lease_end(ContextId flow) const { return grants_[flow].lease_end; }
  void expire(ContextId flow, Time now);

  /// Packets that the flow may have in flight.
  [[nodiscard]] std::uint32_t credit(ContextId flow) const { return rationing_ ? grants_[flow].credit : open_window_; }
  [[nodiscard]] bool queued(ContextId flow) const { return waiting_.contains(flow); }
  [[nodiscard]] bool rationing() const { return rationing_; }

  /// Packets of several senders may contend for a full buffer: they have more credit together than there are buffers,
  /// or wait for some. Otherwise a lost packet was lost in the network.
  [[nodiscard]] bool contended() const { return rationing_ && (granted_ > buffers_ || !waiting_.empty()); }
  [[nodiscard]] std::uint32_t total_credit() const { return total_; }  ///< of all flows together, while rationing

 private:
  struct Grant {
    std::uint32_t credit = 0;
    std::uint32_t left = 0;  // packets until the quantum ends
    bool fresh = false;      // granted, and no packet has come yet
    bool missed = false;     // let a grant pass unused
    Time granted{};
    Time lease_end = never;
  };

  void give(ContextId flow, std::uint32_t credit, Time now);
  void take_back(ContextId flow);
  void adapt();
  void open_if_calm(Time now);
  [[nodiscard]] Duration lease() const { return 2 * grant_to_packet_.timeout(timing_); }

  Retransmission timing_;
  std::uint32_t open_window_;
  std::uint32_t buffers_;
  bool enabled_;
  bool rationing_ = false;
  std::uint32_t total_;
  std::uint32_t granted_ = 0;
  std::uint32_t holders_ = 0;
  std::uint32_t arrived_ = 0;  // since total_ was adapted
  std::uint32_t lost_ = 0;
  Time last_loss_{};
  RoundTrip grant_to_packet_;
  IdQueue waiting_;
  std::vector<Grant> grants_;
};

}  // namespace ayatori::transport
