#pragma once
/// \file
/// Who may send while a receiver has fewer buffers than senders.

#include <cstdint>
#include <optional>
#include <vector>

#include "ayatori/transport/contexts.hpp"
#include "ayatori/transport/options.hpp"
#include "ayatori/transport/queues.hpp"
#include "ayatori/transport/time.hpp"
#include "round_trip.hpp"

namespace ayatori::transport {

/// A receiver's gate. It stands open until a sender reports a packet that never came. From then on the receiver hands
/// out *places*, a place being the right to have one packet under way. One sender gets at most as many as there are
/// buffers, since what it sends in one burst must fit. Who holds places sends without asking again; after `turn`
/// packets, if others wait, they go to the one who waits longest.
///
/// All senders together get more places than there are buffers. A packet on its way fills no buffer yet: with as many
/// places as buffers, a receiver would idle for a round trip between any two packets of a buffer. So there are
/// `on_the_way` more to begin with, and they are judged after every `judged_packets` packets a place. With L packets
/// lost among A that arrived, and senders waiting,
///
///     L < 3/4 A:  places += 1 + places / 4        L > A:  places -= 1, never below the number of buffers
///
/// A packet that finds no buffer costs the receiver nothing; an idle receiver costs throughput, and so does a grant, a
/// packet of its own that nothing arrives for: hence the patience with losses (decision 102). With buffers enough to
/// cover a round trip hardly any occur. The gate opens again when nobody waits and no loss was seen for a while. A
/// place whose owner is silent for twice the usual time between grant and packet is taken back.
///
/// Deterministic; not thread-safe. `ContextId`s are the receiver's own.
class Admission {
 public:
  static constexpr std::uint32_t turn = 64;
  static constexpr std::uint32_t on_the_way = 64;
  static constexpr std::uint32_t judged_packets = 4;

  explicit Admission(const Options& options);

  /// The flow's sender asks after a packet that never came.
  void overflowed(ContextId flow, Time now);

  /// The flow's sender has more to send than its window allows.
  void wants(ContextId flow);

  /// A new packet of the flow came.
  void arrived(ContextId flow, const Packet& packet, Time now);

  void leave(ContextId flow);

  /// Gives free places to who waits longest. The caller tells the returned flow its window, and calls until there is
  /// none.
  std::optional<ContextId> grant(Time now);

  /// When to call expire() for this flow; `never` if it holds no place.
  [[nodiscard]] Time lease_end(ContextId flow) const { return shares_[flow].lease_end; }
  void expire(ContextId flow, Time now);

  [[nodiscard]] std::uint32_t window(ContextId flow) const { return closed_ ? shares_[flow].places : open_window_; }
  [[nodiscard]] bool queued(ContextId flow) const { return waiting_.contains(flow); }
  [[nodiscard]] bool closed() const { return closed_; }
  [[nodiscard]] std::uint32_t places() const { return places_; }

 private:
  struct Share {
    std::uint32_t places = 0;
    std::uint32_t left = 0;  // packets until the turn ends
    bool fresh = false;      // granted, and no packet has come yet
    bool missed = false;     // let a grant pass unused
    Time granted{};
    Time lease_end = never;
  };

  void hold(ContextId flow, std::uint32_t places, Time now);
  void release(ContextId flow);
  void adapt();
  void open_if_calm(Time now);
  [[nodiscard]] Duration lease() const { return 2 * grant_to_packet_.timeout(timing_); }

  Retransmission timing_;
  std::uint32_t open_window_;
  std::uint32_t buffers_;
  bool enabled_;
  bool closed_ = false;
  std::uint32_t places_;
  std::uint32_t held_ = 0;
  std::uint32_t holders_ = 0;
  std::uint32_t arrived_ = 0;  // since places_ was judged
  std::uint32_t lost_ = 0;
  Time last_loss_{};
  RoundTrip grant_to_packet_;
  IdQueue waiting_;
  std::vector<Share> shares_;
};

}  // namespace ayatori::transport
