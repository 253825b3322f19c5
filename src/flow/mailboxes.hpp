#pragma once
/// \file
/// Messages that one side has posted and the other has not: who meets whom.

#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include "ayatori/base/ids.hpp"

namespace ayatori {

using MessageId = std::uint32_t;
/// One stream of one participant.
using Party = std::uint32_t;

struct PostedMessage {
  Party sender = no_id;
  Party receiver = no_id;
  Bytes bytes = 0;
  bool sent = false;       ///< the send is posted
  bool awaited = false;    ///< the receive is posted
  bool eager = false;      ///< it left when it was sent
  bool arrived = false;    ///< possibly before its receive was posted
  MessageId next = no_id;  ///< behind it in the same mailbox
};

/// Sends and receives between two parties meet in the order in which they are posted. Memory: messages between their
/// first post and release(). Not safe for concurrent use.
class Mailboxes {
 public:
  /// The message that a new send (or receive) from `sender` to `receiver` belongs to: the oldest that lacks it, or a
  /// new one. Marks it.
  MessageId post_send(Party sender, Party receiver) { return post(sender, receiver, &PostedMessage::sent); }
  MessageId post_receive(Party sender, Party receiver) { return post(sender, receiver, &PostedMessage::awaited); }

  [[nodiscard]] PostedMessage& operator[](MessageId id) { return messages_[id]; }

  /// The message is over; its id may be given to another.
  void release(MessageId id) {
    messages_[id] = {};
    free_.push_back(id);
  }

  /// The first message of the party that the other side never posted, if there is one.
  [[nodiscard]] const PostedMessage* unmatched(Party party) const {
    for (const PostedMessage& message : messages_) {
      const bool waits = (message.sender == party && !message.awaited && !message.eager) ||
                         (message.receiver == party && !message.sent);
      if (waits) return &message;
    }
    return nullptr;
  }

 private:
  /// Unmatched messages, oldest first; all of them lack the same side.
  struct Box {
    MessageId first = no_id;
    MessageId last = no_id;
  };

  MessageId post(Party sender, Party receiver, bool PostedMessage::* mark) {
    const std::uint64_t key = (std::uint64_t{sender} << 32) | receiver;
    const auto [at, empty] = boxes_.try_emplace(key);
    Box& box = at->second;
    if (!empty && !(messages_[box.first].*mark)) {
      const MessageId id = box.first;
      messages_[id].*mark = true;
      box.first = messages_[id].next;
      if (box.first == no_id) boxes_.erase(at);
      return id;
    }
    const MessageId id = make(sender, receiver);
    messages_[id].*mark = true;
    if (empty)
      box.first = id;
    else
      messages_[box.last].next = id;
    box.last = id;
    return id;
  }

  MessageId make(Party sender, Party receiver) {
    if (free_.empty()) {
      messages_.emplace_back();
      free_.push_back(static_cast<MessageId>(messages_.size() - 1));
    }
    const MessageId id = free_.back();
    free_.pop_back();
    messages_[id].sender = sender;
    messages_[id].receiver = receiver;
    return id;
  }

  std::vector<PostedMessage> messages_;
  std::vector<MessageId> free_;
  std::unordered_map<std::uint64_t, Box> boxes_;
};

}  // namespace ayatori
