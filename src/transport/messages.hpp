#pragma once
/// \file
/// Messages that are sent and not yet acknowledged: a fixed number of slots, in
/// one queue for each flow.

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "ayatori/transport/application.hpp"
#include "ayatori/transport/packet.hpp"

namespace ayatori::transport {

struct OutgoingMessage {
  std::span<const std::byte> bytes;  // the application's, or those of operation_bytes()
  Token token = 0;
  PeerId to = 0;
  std::uint32_t next = no_id;         // in its flow's queue
  Sequence first = 0;                 // sequence of its first packet, once that is sent
  std::uint32_t last_aboard = no_id;  // the last of those that share this packet; of the first of them, once it is sent
  std::uint32_t packets = 1;
  std::uint32_t generation = 0;  // tells apart the calls that used this slot
  MessageKind kind = MessageKind::plain;
  bool unordered = false;
  bool awaiting = false;  // a delivered call without its reply; in no queue
  bool answered = false;  // a call whose reply overtook the acknowledgement
};

using OperationBytes = std::array<std::byte, operation_id_bytes + max_operation_bytes>;

class MessageSlots {
 public:
  explicit MessageSlots(std::uint32_t capacity);

  [[nodiscard]] std::optional<std::uint32_t> take();
  void give_back(std::uint32_t slot);
  [[nodiscard]] std::uint32_t used() const { return used_; }
  [[nodiscard]] std::uint32_t capacity() const { return static_cast<std::uint32_t>(slots_.size()); }
  /// Memory for the call or reply in this slot.
  [[nodiscard]] OperationBytes& operation_bytes(std::uint32_t slot) { return operations_[slot]; }
  [[nodiscard]] bool holds(std::uint32_t slot) const { return slot < slots_.size(); }

  OutgoingMessage& operator[](std::uint32_t slot) { return slots_[slot]; }
  const OutgoingMessage& operator[](std::uint32_t slot) const { return slots_[slot]; }

 private:
  std::vector<OutgoingMessage> slots_;
  std::vector<OperationBytes> operations_;  // by slot
  std::uint32_t free_ = no_id;
  std::uint32_t used_ = 0;
};

/// How messages become packets of at most `datagram` bytes: long ones are cut, short ones share.
class Cutter {
 public:
  explicit Cutter(std::uint32_t datagram)
      : whole_(datagram - header_bytes - acknowledgement_bytes), piece_(whole_ - fragment_bytes) {}

  [[nodiscard]] std::uint32_t packets(Bytes size) const {
    return size <= whole_ ? 1 : static_cast<std::uint32_t>((size + piece_ - 1) / piece_);
  }
  [[nodiscard]] Bytes max_message() const { return piece_ << 30; }  ///< so that a flow's sequences can't run out in it

  /// Packet `number` of the message: its payload, and its place if there are several.
  void cut(const OutgoingMessage& message, std::uint32_t number, Packet& packet) const;

  /// The last of the messages from `first` on that fit into one packet together; `first` if it travels alone.
  [[nodiscard]] std::uint32_t last_that_fits(std::uint32_t first, const MessageSlots& slots) const;

  /// The messages from `first` to `last` in one payload, which is valid until the next call.
  void gather(std::uint32_t first, std::uint32_t last, const MessageSlots& slots, Packet& packet);

 private:
  Bytes whole_;
  Bytes piece_;
  std::vector<std::byte> gathered_;  // a payload, from the first time that messages share one
};

}  // namespace ayatori::transport
