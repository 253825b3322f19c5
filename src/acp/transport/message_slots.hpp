#pragma once
/// \file
/// Messages that are sent and not yet acknowledged: a fixed number of slots, which stand in one queue for each flow.

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
  std::uint32_t next = no_id;            // in its flow's queue
  Sequence first = 0;                    // sequence of its first packet, once that is sent
  std::uint32_t last_coalesced = no_id;  // the last message of this packet; set in the packet's first message
  std::uint32_t packets = 1;
  std::uint32_t generation = 0;  // distinguishes the calls that used this slot
  MessageKind kind = MessageKind::plain;
  bool unordered = false;
  bool awaiting = false;  // a call that was delivered and has no reply yet; such a message is in no queue
  bool answered = false;  // a call whose reply overtook the acknowledgement
};

using OperationBytes = std::array<std::byte, operation_id_bytes + max_operation_bytes>;

/// Replies have slots of their own, so that operations which wait for each other in a circle of peers come to an end.
class MessageSlots {
 public:
  MessageSlots(std::uint32_t messages, std::uint32_t replies);

  [[nodiscard]] bool has_room() const { return used_ - replies_ < messages_; }  ///< for a plain message or a call
  [[nodiscard]] std::uint32_t free_replies() const { return capacity() - messages_ - replies_; }

  /// A fresh message of this kind, for which there is room.
  [[nodiscard]] std::uint32_t take(MessageKind kind);
  void give_back(std::uint32_t slot);

  [[nodiscard]] std::uint32_t capacity() const { return static_cast<std::uint32_t>(slots_.size()); }
  /// Memory for the call or reply in this slot.
  [[nodiscard]] OperationBytes& operation_bytes(std::uint32_t slot) { return operations_[slot]; }

  OutgoingMessage& operator[](std::uint32_t slot) { return slots_[slot]; }
  const OutgoingMessage& operator[](std::uint32_t slot) const { return slots_[slot]; }

 private:
  std::vector<OutgoingMessage> slots_;
  std::vector<OperationBytes> operations_;  // by slot
  std::uint32_t messages_;                  // most slots for plain messages and calls
  std::uint32_t free_ = no_id;
  std::uint32_t used_ = 0;
  std::uint32_t replies_ = 0;  // of the slots in use
};

}  // namespace ayatori::transport
