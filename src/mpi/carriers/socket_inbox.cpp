#include "socket_inbox.hpp"

#include <algorithm>

#include "pieces.hpp"

namespace ayatori {

namespace {

/// Memory for what comes early grows with what has come: a header may say anything.
constexpr Bytes early_bytes_at_once = Bytes{1} << 20;

}  // namespace

void SocketInbox::post(Rank from, RequestId request, const CarriedMessage& message) {
  const std::uint32_t number = posted_[{from, message.stream, 0}]++;
  const Key key{from, message.stream, number};
  const auto [found, is_new] = incoming_.try_emplace(key);
  Incoming& incoming = found->second;
  incoming.is_posted = true;
  incoming.request = request;
  incoming.message = message;
  if (!is_new && incoming.bytes != message.bytes) {
    return completions_.fail(fail("a message of {} bytes is received as {}", incoming.bytes, message.bytes).error());
  }
  incoming.bytes = message.bytes;
  if (incoming.has_arrived) finish(key, incoming);
}

Result<SocketInbox::Place> SocketInbox::find(Rank from, const FragmentHeader& header, bool keeps_early) {
  if (header.offset > header.message_bytes || header.bytes > header.message_bytes - header.offset) {
    return fail("process {} sends a fragment that does not fit its message", from);
  }
  const Key key{from, header.stream, header.number};
  if (!keeps_early && !incoming_.contains(key)) return Place::later;
  const auto [found, is_new] = incoming_.try_emplace(key);
  Incoming& incoming = found->second;
  if (is_new) incoming.bytes = header.message_bytes;
  if (incoming.bytes != header.message_bytes) {
    return fail("a message of {} bytes is received as {}", header.message_bytes, incoming.bytes);
  }
  // Counted here: two connections may be amid their fragments, and none may end what another one still fills.
  if (header.bytes > incoming.bytes - incoming.claimed) return fail("process {} sends bytes of a message twice", from);
  incoming.claimed += header.bytes;
  if (!incoming.is_posted) incoming.early.try_emplace(header.offset);
  return Place::here;
}

void SocketInbox::memory_of(Rank from, const FragmentHeader& header, Bytes done,
                            std::vector<std::span<std::byte>>& memory) {
  memory.clear();
  Incoming& incoming = incoming_.at({from, header.stream, header.number});
  const Bytes begin = header.offset + done;
  const Bytes left = header.bytes - done;
  if (const auto early = incoming.early.find(header.offset); early != incoming.early.end()) {
    auto& part = early->second;
    part.resize(std::max<Bytes>(part.size(), done + std::min(left, early_bytes_at_once)));
    memory.push_back(std::span(part).subspan(done, std::min(left, early_bytes_at_once)));
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
  for (const auto& [offset, part] : incoming.early) {
    copy_in(incoming.message.pieces, offset, part.data(), part.size());
  }
  completions_.add(incoming.request);
  incoming_.erase(key);
}

SocketInbox& SocketInboxes::begin(std::uint64_t context, bool keeps_early) {
  auto& execution = executions_[context];
  if (execution == nullptr) {
    execution = std::make_unique<Execution>();
    if ((context & concurrent_execution) != 0) ++concurrent_;
  }
  execution->has_begun = true;
  execution->keeps_early = keeps_early;
  return execution->inbox;
}

void SocketInboxes::end(std::uint64_t context) {
  if (executions_.erase(context) != 0 && (context & concurrent_execution) != 0) --concurrent_;
}

Result<SocketInbox::Place> SocketInboxes::find(Rank from, const FragmentHeader& header) {
  const bool is_concurrent = (header.context & concurrent_execution) != 0;
  auto known = executions_.find(header.context);
  if (known == executions_.end()) {
    if (!is_concurrent && concurrent_ == 0) return SocketInbox::Place::later;
    known = executions_.emplace(header.context, std::make_unique<Execution>()).first;
    if (is_concurrent) ++concurrent_;
  }
  Execution& execution = *known->second;
  const bool keeps_early = execution.keeps_early || !execution.has_begun || concurrent_ > 0;
  return execution.inbox.find(from, header, keeps_early);
}

SocketInbox* SocketInboxes::of(const FragmentHeader& header) {
  const auto known = executions_.find(header.context);
  return known == executions_.end() ? nullptr : &known->second->inbox;
}

}  // namespace ayatori
