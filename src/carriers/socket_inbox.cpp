#include "socket_inbox.hpp"

#include "pieces.hpp"

namespace ayatori {

void SocketInbox::begin_play(std::uint64_t context, bool keeps_early) {
  context_ = context;
  keeps_early_ = keeps_early;
  completions_ = Completions();
  incoming_.clear();
  posted_.clear();
}

void SocketInbox::post(Rank from, RequestId request, const CarriedMessage& message) {
  const std::uint32_t number = posted_[{from, message.stream, 0}]++;
  const Key key{from, message.stream, number};
  Incoming& incoming = incoming_[key];
  incoming.is_posted = true;
  incoming.request = request;
  incoming.message = message;
  const bool is_new = incoming.early.empty() && !incoming.has_arrived;
  if (!is_new && incoming.bytes != message.bytes) {
    return completions_.fail(fail("a message of {} bytes is received as {}", incoming.bytes, message.bytes).error());
  }
  incoming.bytes = message.bytes;
  if (incoming.has_arrived) finish(key, incoming);
}

Result<SocketInbox::Place> SocketInbox::find(Rank from, const FragmentHeader& header) {
  if (header.context != context_) return Place::later;
  if (header.offset > header.message_bytes || header.bytes > header.message_bytes - header.offset) {
    return fail("process {} sends a fragment that does not fit its message", from);
  }
  const Key key{from, header.stream, header.number};
  const auto known = incoming_.find(key);
  if (known == incoming_.end()) {
    if (!keeps_early_) return Place::later;
    Incoming& incoming = incoming_[key];
    incoming.bytes = header.message_bytes;
    incoming.early.resize(header.message_bytes);
    return Place::here;
  }
  const Incoming& incoming = known->second;
  if (incoming.bytes != header.message_bytes || incoming.arrived + header.bytes > incoming.bytes) {
    return fail("a message of {} bytes is received as {}", header.message_bytes, incoming.bytes);
  }
  return Place::here;
}

void SocketInbox::memory_of(Rank from, const FragmentHeader& header, Bytes done,
                            std::vector<std::span<std::byte>>& memory) {
  memory.clear();
  Incoming& incoming = incoming_.at({from, header.stream, header.number});
  const Bytes begin = header.offset + done;
  const Bytes left = header.bytes - done;
  if (!incoming.early.empty()) {
    memory.push_back(std::span(incoming.early).subspan(begin, left));
    return;
  }
  visit_parts(incoming.message.pieces, begin, left,
              [&](std::byte* part, std::size_t bytes) { memory.emplace_back(part, bytes); });
}

void SocketInbox::arrived(Rank from, const FragmentHeader& header) {
  const Key key{from, header.stream, header.number};
  Incoming& incoming = incoming_.at(key);
  incoming.arrived += header.bytes;
  incoming.has_arrived = incoming.arrived == incoming.bytes;
  if (incoming.has_arrived && incoming.is_posted) finish(key, incoming);
}

void SocketInbox::finish(const Key& key, const Incoming& incoming) {
  if (!incoming.early.empty()) copy_in(incoming.message.pieces, 0, incoming.early.data(), incoming.bytes);
  completions_.add(incoming.request);
  incoming_.erase(key);
}

}  // namespace ayatori
