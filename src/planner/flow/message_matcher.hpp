#pragma once
/// \file
/// Which send belongs to which receive, as MPI matches the messages between two processes with one tag: in the order in
/// which each side posts them.

#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include "ayatori/base/ids.hpp"

namespace ayatori {

using MessageId = std::uint32_t;
/// One stream of one participant: participant · streams + stream.
using StreamId = std::uint32_t;

struct PostedMessage {
  StreamId sender = no_id;
  StreamId receiver = no_id;
  Bytes bytes = 0;
  bool send_posted = false;
  bool receive_posted = false;
  bool eager = false;      ///< it leaves when it is sent, without waiting for its receive
  bool ready = false;      ///< the sender's processor is done with it
  bool arrived = false;    ///< possibly before its receive was posted
  MessageId next = no_id;  ///< the next message in the same queue
};

/// Memory: the messages between their first post and release(). Not safe for concurrent use.
class MessageMatcher {
 public:
  /// The message that a new send (or receive) from `sender` to `receiver` belongs to: the oldest that lacks it, or a
  /// new one. Marks it as posted.
  MessageId post_send(StreamId sender, StreamId receiver) {
    return post(sender, receiver, &PostedMessage::send_posted);
  }
  MessageId post_receive(StreamId sender, StreamId receiver) {
    return post(sender, receiver, &PostedMessage::receive_posted);
  }

  [[nodiscard]] PostedMessage& operator[](MessageId id) { return messages_[id]; }

  /// Forgets a message that is complete; its id may be given to another.
  void release(MessageId id) {
    messages_[id] = {};
    free_.push_back(id);
  }

  /// No message is known.
  [[nodiscard]] bool empty() const { return messages_.size() == free_.size(); }

  /// The first message that the stream waits for and whose other side was never posted; nullptr if there is none.
  [[nodiscard]] const PostedMessage* unmatched(StreamId stream) const {
    for (const PostedMessage& message : messages_) {
      const bool waits = (message.sender == stream && !message.receive_posted && !message.eager) ||
                         (message.receiver == stream && !message.send_posted);
      if (waits) return &message;
    }
    return nullptr;
  }

 private:
  /// Unmatched messages, oldest first; all of them lack the same side.
  struct Queue {
    MessageId first = no_id;
    MessageId last = no_id;
  };

  MessageId post(StreamId sender, StreamId receiver, bool PostedMessage::* posted) {
    const std::uint64_t key = (std::uint64_t{sender} << 32) | receiver;
    const auto [at, empty] = queues_.try_emplace(key);
    Queue& queue = at->second;
    if (!empty && !(messages_[queue.first].*posted)) {
      const MessageId id = queue.first;
      messages_[id].*posted = true;
      queue.first = messages_[id].next;
      if (queue.first == no_id) queues_.erase(at);
      return id;
    }
    const MessageId id = make(sender, receiver);
    messages_[id].*posted = true;
    if (empty)
      queue.first = id;
    else
      messages_[queue.last].next = id;
    queue.last = id;
    return id;
  }

  MessageId make(StreamId sender, StreamId receiver) {
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
  std::unordered_map<std::uint64_t, Queue> queues_;  // by sender and receiver
};

}  // namespace ayatori
