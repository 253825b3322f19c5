#include "channels.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace ayatori::onesided {

namespace {

/// What a call or put of a channel is about: the middle of its token.
enum class About : std::uint8_t { opening, advertisement, message, bytes, closing };

constexpr std::uint32_t about_shift = 48;

Token token_about(About about, std::uint64_t which) {
  return token_of(Purpose::channel, std::uint64_t{static_cast<std::uint8_t>(about)} << about_shift | which);
}

/// The key of a receive's buffer is this bit and its RequestId; no region has such a key.
constexpr std::uint64_t buffer_key = std::uint64_t{1} << 62;
constexpr std::uint32_t max_generations = 1U << 30;

std::uint64_t word_of(std::uint32_t number, std::uint32_t sequence) { return std::uint64_t{number} << 32 | sequence; }

}  // namespace

// ---- Ends

Result<ChannelId> Channels::open(Rank sender, Rank receiver) {
  const bool sends = sender == core_.self;
  if (sender == receiver) return with_code(fail("a channel joins two processes, not rank {} alone", sender), EINVAL);
  if (!sends && receiver != core_.self) {
    return with_code(
        fail("rank {} is neither sender nor receiver of a channel from {} to {}", core_.self, sender, receiver),
        EINVAL);
  }
  const Rank peer = sends ? receiver : sender;
  if (peer >= core_.space.procs()) return with_code(fail("there is no rank {}", peer), EINVAL);
  const auto free = std::ranges::find(ends_, false, &End::used);
  if (free == ends_.end()) {
    return with_code(fail("this process has {} ends of channels already", ends_.size()), ENOSPC);
  }
  *free = End{.used = true,
              .generation = free->generation + 1,
              .sends = sends,
              .peer = peer,
              .number = opened_[{peer, sends}]++};
  ++open_;
  return static_cast<ChannelId>(free - ends_.begin() + 1);
}

Channels::End* Channels::end_of(Rank peer, bool sends, std::uint64_t number) {
  for (End& end : ends_) {
    if (end.used && end.peer == peer && end.sends == sends && end.number == number) return &end;
  }
  return nullptr;
}

/// Names an end in tokens. It has the generation, since an answer may arrive after the end was closed and its entry was
/// used for another one.
std::uint64_t Channels::mark_of_end(std::uint32_t end) const {
  return (std::uint64_t{ends_[end].generation} << 16 | end) & ((std::uint64_t{1} << about_shift) - 1);
}

// ---- Requests

Result<std::uint32_t> Channels::take_request(Kind kind, ChannelId channel) {
  if (channel == 0 || channel > ends_.size() || !ends_[channel - 1].used) {
    return with_code(fail("there is no such channel"), EINVAL);
  }
  const End& end = ends_[channel - 1];
  if (end.closing != 0) return with_code(fail("the channel is being closed"), EINVAL);
  if (kind != Kind::close && end.sends != (kind == Kind::send)) {
    return with_code(fail("this process is the channel's {}", end.sends ? "sender" : "receiver"), EINVAL);
  }
  const auto free = std::ranges::find(requests_, Kind::free, &Request::kind);
  if (free == requests_.end()) {
    return with_code(fail("all {} requests of this process are in use", requests_.size()), ENOSPC);
  }
  *free = Request{.kind = kind, .end = channel - 1, .generation = (free->generation + 1) % max_generations};
  ++pending_;
  return static_cast<std::uint32_t>(free - requests_.begin());
}

RequestId Channels::id_of(std::uint32_t request) const {
  return RequestId{requests_[request].generation} << 32 | (request + 1);
}

std::uint64_t Channels::mark_of(std::uint32_t request) const {
  return std::uint64_t{requests_[request].generation & 0xFFFF} << 32 | request;
}

const Channels::Request* Channels::find(RequestId id) const {
  const std::uint64_t index = (id & no_id) - 1;
  if (index >= requests_.size() || requests_[index].kind == Kind::free) return nullptr;
  return requests_[index].generation == id >> 32 ? &requests_[index] : nullptr;
}

Result<RequestId> Channels::start(ChannelId channel, bool sends, std::byte* bytes, Bytes size) {
  const auto request = take_request(sends ? Kind::send : Kind::receive, channel);
  if (!request) return Failure(request.error());
  requests_[*request].bytes = bytes;
  requests_[*request].size = size;
  End& end = ends_[channel - 1];
  end.queue.push_back(*request);
  if (end.lost || end.peer_closed) fail_all(end, end.lost ? Outcome::lost : Outcome::closed);
  return id_of(*request);
}

Result<RequestId> Channels::close(ChannelId channel) {
  const auto request = take_request(Kind::close, channel);
  if (!request) return Failure(request.error());
  End& end = ends_[channel - 1];
  end.closing = *request + 1;
  if (end.lost) fail_all(end, Outcome::lost);
  return id_of(*request);
}

bool Channels::done(RequestId id) const {
  const Request* request = find(id);
  return !request || request->outcome != Outcome::pending;
}

Result<Bytes> Channels::finish(RequestId id) {
  const Request* request = find(id);
  if (!request) return with_code(fail("there is no such request"), EINVAL);
  const Outcome outcome = request->outcome;
  const Rank peer = ends_[request->end].peer;
  const Bytes received = request->kind == Kind::receive ? request->size : 0;
  requests_[(id & no_id) - 1].kind = Kind::free;
  if (outcome == Outcome::lost) return with_code(fail("the channel's peer, rank {}, is lost", peer), EHOSTDOWN);
  if (outcome == Outcome::closed) return with_code(fail("rank {} has closed the channel", peer), EPIPE);
  return received;
}

void Channels::settle(std::uint32_t request, Outcome outcome) {
  if (requests_[request].outcome != Outcome::pending) return;
  requests_[request].outcome = outcome;
  --pending_;
  End& end = ends_[requests_[request].end];
  const auto at = std::ranges::find(end.queue, request);
  if (at == end.queue.end()) return;
  if (static_cast<std::uint32_t>(at - end.queue.begin()) < end.started) --end.started;
  end.queue.erase(at);
}

void Channels::fail_all(End& end, Outcome outcome) {
  while (!end.queue.empty()) settle(end.queue.back(), outcome);
  if (end.closing != 0 && outcome == Outcome::lost) {
    settle(end.closing - 1, outcome);
    end.used = false;
    --open_;
  }
}

// ---- Progress

void Channels::progress() {
  if (open_ == 0) return;
  for (std::uint32_t number = 0; number < ends_.size(); ++number) {
    End& end = ends_[number];
    if (!end.used) continue;
    if (!end.connected) connect(number);
    if (end.connected && end.sends) send_next(number);
    if (end.connected && !end.sends) advertise(number);
    if (end.closing != 0 && end.queue.empty()) finish_closing(number);
  }
}

void Channels::connect(std::uint32_t number) {
  End& end = ends_[number];
  if (end.asked || end.lost) return;
  const Call call{.kind = CallKind::open_channel,
                  .size = static_cast<std::uint8_t>(end.sends ? 1 : 0),
                  .words = {word_of(end.number, 0)}};
  end.asked = core_.call(end.peer, call, token_about(About::opening, mark_of_end(number)));
}

void Channels::advertise(std::uint32_t number) {
  End& end = ends_[number];
  while (end.started < end.queue.size() && end.started < window) {
    const std::uint32_t request = end.queue[end.started];
    const Request& receive = requests_[request];
    const Call call{.kind = CallKind::ready,
                    .words = {word_of(end.number, end.sequence), receive.size, buffer_key | id_of(request)}};
    if (!core_.call(end.peer, call, token_about(About::advertisement, 0))) return;
    requests_[request].sequence = end.sequence++;
    ++end.started;
  }
}

void Channels::send_next(std::uint32_t number) {
  End& end = ends_[number];
  for (std::uint32_t i = 0; i < end.started;) {
    const bool signalled = requests_[end.queue[i]].to_signal && signal_written(end.queue[i]);
    if (!signalled) ++i;
  }
  while (end.started < end.queue.size() && !end.buffers.empty()) {
    const std::uint32_t request = end.queue[end.started];
    Request& send = requests_[request];
    send.buffer = end.buffers.front();
    send.sequence = end.sequence;
    const Bytes size = std::min(send.size, send.buffer.size);
    if (size <= max_inline_bytes) {
      Call call{.kind = CallKind::inlined,
                .size = static_cast<std::uint8_t>(size),
                .words = {word_of(end.number, send.sequence), send.size}};
      if (size > 0) std::memcpy(&call.words[2], send.bytes, size);
      if (!core_.call(end.peer, call, token_about(About::message, 0))) return;
    } else if (!put(request, size)) {
      return;
    }
    end.buffers.pop_front();
    ++end.sequence;
    ++end.started;
    if (size <= max_inline_bytes) settle(request, Outcome::done);
  }
}

bool Channels::put(std::uint32_t request, Bytes size) {
  const Request& send = requests_[request];
  const bool taken = core_.endpoint->put(core_.now, ends_[send.end].peer, {send.buffer.key, 0}, {send.bytes, size},
                                         token_about(About::bytes, mark_of(request)));
  core_.asked |= taken;
  return taken;
}

/// The put is completed: notifies the receiver that the message is in its buffer. The send is done then.
bool Channels::signal_written(std::uint32_t request) {
  const Request& send = requests_[request];
  const End& end = ends_[send.end];
  const Call call{.kind = CallKind::written, .words = {word_of(end.number, send.sequence), send.size}};
  if (!core_.call(end.peer, call, token_about(About::message, 0))) return false;
  settle(request, Outcome::done);
  return true;
}

/// A channel is closed when both ends have signalled that they close.
void Channels::finish_closing(std::uint32_t number) {
  End& end = ends_[number];
  if (end.connected && !end.signalled) {
    const Call call{.kind = CallKind::close_channel,
                    .size = static_cast<std::uint8_t>(end.sends ? 1 : 0),
                    .words = {word_of(end.number, 0)}};
    end.signalled = core_.call(end.peer, call, token_about(About::closing, mark_of_end(number)));
  }
  if (!end.heard || !end.peer_closed) return;
  settle(end.closing - 1, Outcome::done);
  end.used = false;
  --open_;
}

// ---- Calls of the endpoint

Answer Channels::on_call(Rank from, const Call& call) {
  const auto number = static_cast<std::uint32_t>(call.words[0] >> 32);
  const bool from_either = call.kind == CallKind::open_channel || call.kind == CallKind::close_channel;
  const bool caller_sends = from_either ? call.size == 1 : call.kind != CallKind::ready;
  End* end = end_of(from, !caller_sends, number);
  if (!end) return {.status = Status::done, .value = 0};
  end->connected = true;
  switch (call.kind) {
    case CallKind::ready:
      if (end->buffers.size() < window) end->buffers.push_back({call.words[1], call.words[2]});
      break;
    case CallKind::inlined:
    case CallKind::written:
      take_message(*end, call);
      break;
    case CallKind::close_channel:
      end->peer_closed = true;
      fail_all(*end, Outcome::closed);
      break;
    default:
      break;
  }
  return {.status = Status::done, .value = 1};
}

void Channels::take_message(End& end, const Call& call) {
  const auto sequence = static_cast<std::uint32_t>(call.words[0]);
  for (std::uint32_t i = 0; i < end.started; ++i) {
    const std::uint32_t number = end.queue[i];
    Request& receive = requests_[number];
    if (receive.sequence != sequence) continue;
    // words[1] is the size of the whole message; call.size is what the call carries of it, cut to the buffer.
    receive.size = std::min<Bytes>(receive.size, call.words[1]);
    const Bytes inside = call.kind == CallKind::inlined ? std::min<Bytes>(receive.size, call.size) : 0;
    if (inside > 0) std::memcpy(receive.bytes, &call.words[2], inside);
    return settle(number, Outcome::done);
  }
}

std::byte* Channels::find(Rank from, const transport::RemoteRange& range) const {
  if ((range.key & buffer_key) == 0 || range.key == transport::directory_key) return nullptr;
  const Request* receive = find(range.key & ~buffer_key);
  if (!receive || receive->kind != Kind::receive || receive->outcome != Outcome::pending) return nullptr;
  if (ends_[receive->end].peer != from) return nullptr;
  if (range.offset > receive->size || range.size > receive->size - range.offset) return nullptr;
  return receive->bytes + range.offset;
}

void Channels::answered(std::uint64_t number, const Answer& answer) {
  const auto about = static_cast<About>(number >> about_shift);
  if (about != About::opening && about != About::closing) return;
  const std::uint64_t mark = number & ((std::uint64_t{1} << about_shift) - 1);
  const auto which = static_cast<std::uint16_t>(mark);
  if (mark_of_end(which) != mark) return;
  if (about == About::closing) ends_[which].heard = true;
  if (about == About::opening && answer.value == 1) ends_[which].connected = true;
}

/// The request may have failed meanwhile, and its entry may have been used for another one.
void Channels::transferred(std::uint64_t number) {
  const auto request = static_cast<std::uint32_t>(number);
  if (token_about(About::bytes, mark_of(request)) == token_of(Purpose::channel, number)) {
    requests_[request].to_signal = true;
  }
}

void Channels::lost(Rank peer) {
  for (End& end : ends_) {
    if (!end.used || end.peer != peer) continue;
    end.lost = true;
    fail_all(end, Outcome::lost);
  }
}

}  // namespace ayatori::onesided
