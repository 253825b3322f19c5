#include "target.hpp"

#include <algorithm>

namespace ayatori::transport {

namespace {

/// How long an answer waits for that of the next put at the most: an initiator may send to several targets alternately,
/// and a datagram of 64 KB takes it some 15 us.
constexpr Duration longest_wait = std::chrono::microseconds(100);

}  // namespace

PutFloors::PutFloors(std::uint32_t capacity, Epoch floor)
    : latest_(capacity), recency_(capacity), floor_(floor), highest_(floor) {}

Epoch PutFloors::of(PeerId initiator) const {
  const auto id = latest_.find({initiator, Lane::messages});
  return id ? latest_[*id] : floor_;
}

void PutFloors::raise(PeerId initiator, Epoch number) {
  const FlowKey key{initiator, Lane::messages};
  auto id = latest_.find(key);
  if (!id && !(id = latest_.insert(key))) {
    // Whoever is forgotten is remembered by the floor.
    const ContextId oldest = recency_.pop();
    floor_ = std::max(floor_, latest_[oldest]);
    latest_.erase(oldest);
    id = latest_.insert(key);
  }
  latest_[*id] = number;
  recency_.move_to_end(*id);
  highest_ = std::max(highest_, number);
}

Target::Target(Shared& shared, Epoch floor)
    : shared_(shared), floors_(shared.options.initiators, floor), answers_(capacity) {}

void Target::on_put(Time now, const Packet& packet) {
  if (count_ == capacity) return;
  if (packet.epoch <= floors_.of(packet.from)) {
    ++shared_.statistics.stale_puts;
    return answer(PacketKind::stale, packet);
  }
  // Whether it is refused or not, no copy of it may be carried out later.
  floors_.raise(packet.from, packet.epoch);
  const bool written = shared_.application.write(packet.from, *packet.range, packet.payload);
  if (!written) {
    // The initiator sends no more of the operation.
    answer(PacketKind::refused, packet);
    return end_wait(packet.from);
  }
  if (!let_wait(now, packet)) answer_all(packet);
}

/// A further copy was missed already, so its answer does not wait.
bool Target::let_wait(Time now, const Packet& packet) {
  if (!packet.more || packet.resent) return false;
  auto found = std::ranges::find(waiting_, packet.from, &Waiting::from);
  if (found == waiting_.end()) {
    if (waiting_.size() == max_waiting) return false;
    found = waiting_.insert(waiting_.end(), {.from = packet.from, .stamp = packet.stamp, .until = now + longest_wait});
  }
  if (found->count == found->puts.size()) return false;
  found->puts[found->count++] = {packet.epoch, packet.sequence};
  return true;
}

/// Also those that wait: their answer is timed from the first of them, so that timers allow for the wait.
void Target::answer_all(const Packet& packet) {
  answer(PacketKind::done, packet);
  const auto found = std::ranges::find(waiting_, packet.from, &Waiting::from);
  if (found == waiting_.end()) return;
  Answer& made = answers_[(first_ + count_ - 1) % capacity];
  made.stamp = found->stamp;
  made.earlier = found->puts;
  made.earlier_count = found->count;
  waiting_.erase(found);
}

void Target::answer_waiting(const Waiting& waiting) {
  const std::uint32_t earlier = waiting.count - 1;
  answers_[(first_ + count_++) % capacity] = {.to = waiting.from,
                                              .number = waiting.puts[earlier].number,
                                              .sequence = waiting.puts[earlier].sequence,
                                              .stamp = waiting.stamp,
                                              .range = {},
                                              .earlier_count = earlier,
                                              .earlier = waiting.puts};
}

void Target::end_wait(PeerId initiator) {
  const auto found = std::ranges::find(waiting_, initiator, &Waiting::from);
  if (found == waiting_.end() || count_ == capacity) return;
  answer_waiting(*found);
  waiting_.erase(found);
}

void Target::advance(Time now) {
  std::erase_if(waiting_, [&](const Waiting& waiting) {
    if (waiting.until > now || count_ == capacity) return false;
    answer_waiting(waiting);
    return true;
  });
}

Time Target::next_deadline() const {
  Time earliest = never;
  for (const Waiting& waiting : waiting_) earliest = std::min(earliest, waiting.until);
  return earliest;
}

void Target::on_get(const Packet& packet) {
  if (count_ < capacity) answer(PacketKind::contents, packet);
}

void Target::answer(PacketKind kind, const Packet& packet) {
  answers_[(first_ + count_++) % capacity] = {.kind = kind,
                                              .to = packet.from,
                                              .number = packet.epoch,
                                              .sequence = packet.sequence,
                                              .stamp = packet.stamp,
                                              .floor = floors_.of(packet.from),
                                              .range = *packet.range};
}

std::optional<Packet> Target::next_packet() {
  if (count_ == 0) return std::nullopt;
  const Answer& answer = answers_[std::exchange(first_, (first_ + 1) % capacity)];
  --count_;
  Packet packet;
  packet.kind = answer.kind;
  packet.to = answer.to;
  packet.epoch = answer.number;
  packet.sequence = answer.sequence;
  packet.stamp = answer.stamp;
  if (answer.kind == PacketKind::stale) packet.floor = answer.floor;
  if (answer.kind == PacketKind::done) {
    packet.payload = encode_finished_puts(std::span(answer.earlier).first(answer.earlier_count), reported_);
  }
  if (answer.kind != PacketKind::contents) return packet;

  const bool fits = answer.range.size <= shared_.options.datagram_bytes - header_bytes;
  const auto contents = fits ? shared_.application.read(answer.to, answer.range) : std::nullopt;
  if (contents && contents->size() == answer.range.size) {
    packet.payload = *contents;
  } else {
    packet.kind = PacketKind::refused;
  }
  return packet;
}

}  // namespace ayatori::transport
