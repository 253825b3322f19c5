#include "port.hpp"

#include <algorithm>
#include <cstring>

#include "info.hpp"
#include "node.hpp"

namespace ayatori::fabric {

namespace {

/// Its bytes in memory of its own.
void keep_bytes(Arrival& arrival) {
  const std::span<const std::byte> bytes = arrival.frame.payload;
  if (arrival.memory || bytes.empty()) return;
  arrival.memory = std::make_unique_for_overwrite<std::byte[]>(bytes.size());  // NOLINT(modernize-avoid-c-arrays)
  std::ranges::copy(bytes, arrival.memory.get());
  arrival.frame.payload = {arrival.memory.get(), bytes.size()};
}

}  // namespace

// ---- Receives

void Port::arrived(Arrival arrival) {
  Matching& waiting = matching(arrival.frame.is_tagged());
  if (auto receive = waiting.take_receive(arrival)) return node.receive(*this, *receive, std::move(arrival));
  keep_bytes(arrival);
  node.count_unexpected();
  waiting.keep(std::move(arrival));
}

void Port::receive(const Receive& wanted) {
  Matching& waiting = matching(wanted.tagged);
  if (auto arrival = waiting.take_arrival(wanted)) return node.receive(*this, wanted, std::move(*arrival));
  if (wanted.from && node.is_lost(wanted.from->rank)) return report_receive(wanted, {}, FI_EHOSTDOWN);
  waiting.post(wanted);
}

void Port::receive_many(Receive wanted) {
  wanted.shared = std::make_shared<Shared>(Shared{.least = least_room});
  const std::shared_ptr<Shared> shared = wanted.shared;
  messages.post(wanted);
  while (!shared->used_up) {
    auto arrival = messages.take_arrival(wanted);
    if (!arrival) return;
    arrived(std::move(*arrival));
  }
}

void Port::receive_specially(const Receive& wanted, std::uint64_t flags) {
  Matching& waiting = matching(wanted.tagged);
  if ((flags & FI_PEEK) == 0) {
    auto claimed = waiting.take_claimed(wanted.context);
    if (!claimed) return report_receive(wanted, {}, FI_ENOMSG);
    if ((flags & FI_DISCARD) == 0) return node.receive(*this, wanted, std::move(*claimed));
    return node.discard(*this, wanted, std::move(*claimed));
  }
  const Arrival* const found = waiting.peek(wanted);
  if (!found) return report_receive(wanted, {}, FI_ENOMSG);
  if ((flags & FI_DISCARD) != 0) return node.discard(*this, wanted, *waiting.take_arrival(wanted));
  Receive seen = wanted;
  seen.buffer = {static_cast<std::byte*>(nullptr), found->size()};
  seen.pieces.reset();
  report_receive(seen, *found, 0);
  if ((flags & FI_CLAIM) != 0) waiting.set_aside(*waiting.take_arrival(wanted), wanted.context);
}

bool Port::fail_receives(Rank rank) {
  bool any = false;
  for (Matching* waiting : {&messages, &tagged_messages}) {
    const auto cancelled = waiting->cancel_from(rank);
    any |= !cancelled.empty();
    for (const Receive& receive : cancelled) report_receive(receive, {}, FI_EHOSTDOWN);
  }
  return any;
}

// ---- Reports

void Port::count(std::uint64_t flags, int error) {
  Event event = sent;
  if ((flags & FI_RECV) != 0) event = received;
  if ((flags & FI_READ) != 0) event = read_done;
  if ((flags & FI_WRITE) != 0) event = write_done;
  Counter* const counter = counters.at(event);
  if (counter) ++(error == 0 ? counter->value : counter->errors);
}

void Port::report(const Report& ended, int error) {
  count(ended.flags, error);
  if (!transmit_queue || ended.never || (ended.silent && error == 0)) return;
  transmit_queue->push({.context = ended.context, .flags = ended.flags, .length = ended.length, .error = error});
}

void Port::report_receive(const Receive& receive, const Arrival& arrival, int error) {
  const std::uint64_t size = arrival.size();
  const std::size_t length = std::min<std::uint64_t>(size, receive.buffer.size());
  if (error == 0 && size > length) error = FI_ETRUNC;
  if (receive.pieces) receive.pieces->scatter(length);
  count(FI_RECV, error);
  if (receive_queue && (receive.reports || error != 0)) push_received(receive, arrival, error, length);
  if (!receive.shared) return;
  if (--receive.shared->under_way > 0 || !receive.shared->used_up || !receive_queue) return;
  receive_queue->push({.context = receive.context, .flags = FI_MULTI_RECV});
}

void Port::push_received(const Receive& receive, const Arrival& arrival, int error, std::size_t length) {
  receive_queue->push(
      {.context = receive.context,
       .flags = (receive.tagged ? FI_TAGGED : FI_MSG) | FI_RECV | (arrival.frame.has_data ? FI_REMOTE_CQ_DATA : 0),
       .length = length,
       .buffer = receive.buffer.data(),
       .data = arrival.frame.data,
       .tag = arrival.frame.tag,
       .source = source_of(arrival.from),
       .error = error,
       .excess = arrival.size() - length});
}

void Port::report_written(const Frame& frame, Rank from) {
  if (!receive_queue) return;
  receive_queue->push({.flags = FI_RMA | FI_REMOTE_WRITE | FI_REMOTE_CQ_DATA,
                       .length = frame.size,
                       .data = frame.data,
                       .source = source_of({from, frame.from})});
}

fi_addr_t Port::source_of(const Address& from) const {
  if (!av || (caps & FI_SOURCE) == 0) return FI_ADDR_NOTAVAIL;
  return av->addresses.find(from).value_or(FI_ADDR_NOTAVAIL);
}

}  // namespace ayatori::fabric
