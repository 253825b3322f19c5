#pragma once
/// \file
/// How messages become packets: long messages are cut into chunks, short ones are coalesced.

#include <cstdint>
#include <vector>

#include "message_slots.hpp"

namespace ayatori::transport {

/// Makes the payloads of packets of at most `datagram` bytes, headers included.
class Packetizer {
 public:
  explicit Packetizer(std::uint32_t datagram)
      : payload_(datagram - header_bytes - acknowledgement_bytes), chunk_(payload_ - fragment_bytes) {}

  /// Packets that a message of this size takes.
  [[nodiscard]] std::uint32_t packets(Bytes size) const {
    return size <= payload_ ? 1 : static_cast<std::uint32_t>((size + chunk_ - 1) / chunk_);
  }

  /// So that a flow's sequences can't run out within one message.
  [[nodiscard]] Bytes max_message() const { return chunk_ << 30; }

  /// Puts chunk `number` of the message into the packet; all of it, if it takes one packet.
  void cut(const OutgoingMessage& message, std::uint32_t number, Packet& packet) const;

  /// The last of the messages from `first` on, in their queue, that fit into one packet together; `first` if it travels
  /// alone.
  [[nodiscard]] std::uint32_t last_that_fits(std::uint32_t first, const MessageSlots& slots) const;

  /// Puts the messages from `first` to `last` into the packet; the payload is valid until the next call.
  void coalesce(std::uint32_t first, std::uint32_t last, const MessageSlots& slots, Packet& packet);

 private:
  Bytes payload_;                     // most bytes of a packet
  Bytes chunk_;                       // … that has a Fragment
  std::vector<std::byte> coalesced_;  // a payload, from the first time that messages share one
};

}  // namespace ayatori::transport
