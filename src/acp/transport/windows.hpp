#pragma once
/// \file
/// Which packets of a flow are in flight, and which have arrived: selective repeat
/// over at most 64 packets. Plain values of a few words, one in each context.

#include <bit>
#include <cstdint>
#include <optional>

#include "ayatori/transport/packet.hpp"

namespace ayatori::transport {

/// The receiving side of a flow.
class ReceiveWindow {
 public:
  enum class Verdict : std::uint8_t {
    fresh,      ///< never marked
    duplicate,  ///< marked already
    beyond,     ///< too far ahead to be remembered
  };

  [[nodiscard]] Verdict judge(Sequence sequence) const;

  /// Remembers a fresh packet.
  void mark(Sequence sequence);

  [[nodiscard]] Sequence cumulative() const { return cumulative_; }      ///< the lowest that is missing
  [[nodiscard]] std::uint64_t selective() const { return early_ >> 1; }  ///< as Acknowledgement::selective

 private:
  Sequence cumulative_ = 0;
  std::uint64_t early_ = 0;  // bit i: cumulative_ + i is here; bit 0 is always clear
};

/// The sending side of a flow.
class SendWindow {
 public:
  [[nodiscard]] Sequence acknowledged() const { return acknowledged_; }  ///< all below have arrived
  [[nodiscard]] Sequence next() const { return next_; }                  ///< lowest that was never sent
  [[nodiscard]] std::uint32_t outstanding() const { return next_ - acknowledged_; }
  [[nodiscard]] bool has_room() const { return outstanding() < max_window; }

  /// Packets sent of which neither an acknowledgement nor their loss is known.
  [[nodiscard]] std::uint32_t in_flight() const {
    const std::uint64_t known = arrived_ | lost_;
    if (known == 0) return outstanding();  // the usual case; std::popcount is a function call on the oldest x86-64
    return outstanding() - static_cast<std::uint32_t>(std::popcount(known));
  }

  Sequence send_next() { return next_++; }

  /// The lowest packet known as lost, if any.
  [[nodiscard]] std::optional<Sequence> first_lost() const;
  void send_again(Sequence sequence) {
    lost_ &= ~bit(sequence);
    again_ |= bit(sequence);
  }

  /// Whether the packet is under way in this flow, but known as lost.
  [[nodiscard]] bool is_lost(Sequence sequence) const {
    return sequence >= acknowledged_ && sequence < next_ && (lost_ & bit(sequence)) != 0;
  }

  /// Whether the packet has arrived or was never sent.
  [[nodiscard]] bool settled(Sequence sequence) const;

  /// Takes in what an acknowledgement says. False, and nothing happens, if it is about packets that were never
  /// sent, or says less than is known already, because a later acknowledgement overtook it.
  bool acknowledge(Sequence cumulative, std::uint64_t selective);

  /// Declares lost whatever was sent below `end` and is not known to have arrived.
  void lose_below(Sequence end);

  /// Whether first copies are in flight that `later` others, sent after them, have overtaken. First copies are sent in
  /// the order of their sequences.
  [[nodiscard]] bool has_overtaken(std::uint32_t later) const { return overtaken(later) != 0; }
  /// Declares them lost.
  void lose_overtaken(std::uint32_t later) { lost_ |= overtaken(later); }

  /// Packets in flight of which a further copy was sent.
  [[nodiscard]] std::uint32_t again_in_flight() const {
    return static_cast<std::uint32_t>(std::popcount(again_ & ~arrived_ & ~lost_));
  }
  /// Declares lost all further copies in flight.
  void lose_again() { lost_ |= again_ & ~arrived_; }

 private:
  [[nodiscard]] std::uint64_t overtaken(std::uint32_t later) const;
  [[nodiscard]] std::uint64_t bit(Sequence sequence) const { return std::uint64_t{1} << (sequence - acknowledged_); }
  [[nodiscard]] std::uint64_t mask_below(Sequence end) const;

  Sequence acknowledged_ = 0;
  Sequence next_ = 0;
  std::uint64_t arrived_ = 0;  // bit i: acknowledged_ + i has arrived
  std::uint64_t lost_ = 0;     // bit i: acknowledged_ + i must be sent again
  std::uint64_t again_ = 0;    // bit i: acknowledged_ + i was sent again
};

}  // namespace ayatori::transport
