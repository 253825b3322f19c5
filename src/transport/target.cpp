#include "target.hpp"

#include <algorithm>

namespace ayatori::transport {

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

void Target::on_put(const Packet& packet) {
  if (count_ == capacity) return;
  if (packet.epoch <= floors_.of(packet.from)) {
    ++shared_.statistics.stale_puts;
    return answer(PacketKind::stale, packet);
  }
  // Whether it is refused or not, no copy of it may be carried out later.
  floors_.raise(packet.from, packet.epoch);
  const bool written = shared_.application.write(packet.from, *packet.range, packet.payload);
  answer(written ? PacketKind::done : PacketKind::refused, packet);
}

void Target::on_get(const Packet& packet) {
  if (count_ < capacity) answer(PacketKind::contents, packet);
}

void Target::answer(PacketKind kind, const Packet& packet) {
  answers_[(first_ + count_++) % capacity] = {
      kind, packet.from, packet.epoch, packet.sequence, packet.stamp, floors_.of(packet.from), *packet.range};
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
