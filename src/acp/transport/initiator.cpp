#include "initiator.hpp"

#include <algorithm>
#include <cstring>

namespace ayatori::transport {

Initiator::Initiator(Shared& shared)
    : shared_(shared),
      chunk_bytes_(shared.options.datagram_bytes - std::uint32_t{header_bytes + range_bytes}),
      targets_(shared.options.targets),
      idle_(shared.options.targets),
      ready_(shared.options.targets),
      starved_(shared.options.targets),
      operations_(shared.options.operations),
      chunks_(shared.options.operations),
      free_operations_(shared.options.operations),
      deadlines_(shared.options.operations) {
  for (std::uint32_t slot = 0; slot < shared.options.operations; ++slot) {
    unused_operations_.push(slot, operations_);
    unused_chunks_.push(slot, chunks_);
  }
}

// ---- Operations in

bool Initiator::put(Time now, PeerId to, RemoteAddress at, std::span<const std::byte> bytes, Token token) {
  return start(now, to,
               {.kind = PacketKind::put, .at = at, .source = bytes.data(), .size = bytes.size(), .token = token});
}

bool Initiator::get(Time now, PeerId from, RemoteAddress at, std::span<std::byte> into, Token token) {
  return start(now, from,
               {.kind = PacketKind::get, .at = at, .sink = into.data(), .size = into.size(), .token = token});
}

bool Initiator::start(Time now, PeerId peer, const Operation& operation) {
  if (operation.size == 0) return false;
  const auto target = unused_operations_.empty() ? std::nullopt : open(now, peer);
  if (!target) {
    was_refused_ = true;
    freed_ = false;
    return false;
  }
  const std::uint32_t slot = unused_operations_.pop(operations_);
  --free_operations_;
  operations_[slot] = operation;
  operations_[slot].target = *target;
  targets_[*target].uncut.push(slot, operations_);
  ++targets_[*target].operations;
  ready_.push(*target);
  return true;
}

std::optional<ContextId> Initiator::open(Time now, PeerId peer) {
  const FlowKey key{peer, Lane::messages};
  if (const auto known = targets_.find(key)) {
    idle_.remove(*known);
    return known;
  }
  if (targets_.size() == targets_.capacity()) {
    if (idle_.empty()) return std::nullopt;
    targets_.erase(idle_.pop());
  }
  const auto id = targets_.insert(key);
  TargetPeer& target = targets_[*id];
  target.round_trip = RoundTrip(shared_.options.retransmission);
  target.congestion = {shared_.options.initial_window, shared_.options.window};
  target.heard = now;
  return id;
}

bool Initiator::buffer_became_free() {
  if (!was_refused_ || !freed_) return false;
  was_refused_ = false;
  return true;
}

// ---- Packets out

std::optional<Packet> Initiator::next_packet(Time now) {
  while (!ready_.empty()) {
    const ContextId id = ready_.front();
    if (const auto chunk = next_chunk(id)) {
      ready_.move_to_end(id);
      return send(*chunk, now);
    }
    ready_.remove(id);
  }
  return std::nullopt;
}

/// What was lost goes first.
std::optional<std::uint32_t> Initiator::next_chunk(ContextId id) {
  TargetPeer& target = targets_[id];
  const bool again = !target.again.empty();
  if (target.in_flight >= target.congestion.window() || (!again && target.uncut.empty())) return std::nullopt;
  const std::uint32_t operation = again ? chunks_[target.again.head].operation : target.uncut.head;
  if (!buffer_free_for(operations_[operation].kind) || (!again && unused_chunks_.empty())) {
    starved_.push(id);
    return std::nullopt;
  }
  return again ? target.again.pop(chunks_) : cut(operation);
}

/// Answers to gets come as fast as we ask. They may take half of the receive buffers; the rest is for what others send.
bool Initiator::buffer_free_for(PacketKind kind) const {
  return kind == PacketKind::put || gets_in_flight_ < std::max(1U, shared_.options.receive_buffers / 2);
}

std::uint32_t Initiator::cut(std::uint32_t slot) {
  Operation& operation = operations_[slot];
  const std::uint32_t chunk = unused_chunks_.pop(chunks_);
  const Bytes size = std::min<Bytes>(chunk_bytes_, operation.size - operation.cut);
  chunks_[chunk] = {.operation = slot, .offset = operation.cut, .size = static_cast<std::uint32_t>(size)};
  operation.cut += size;
  ++operation.chunks;
  if (operation.cut == operation.size) (void)targets_[operation.target].uncut.pop(operations_);
  return chunk;
}

/// Whether a further chunk follows at once, so that the answer to this one may wait for that one's. A quarter of a
/// window shares an answer at the most: the next chunks go while it is on its way.
bool Initiator::may_share_answer(TargetPeer& target) {
  const std::uint32_t window = target.congestion.window();
  const bool follows = !target.uncut.empty() && target.again.empty() && target.in_flight < window;
  const std::uint32_t most = std::min(window / 4, std::uint32_t{max_finished_puts} + 1);
  const bool shares = follows && !unused_chunks_.empty() && target.sharing + 1 < most;
  target.sharing = shares ? target.sharing + 1 : 0;
  return shares;
}

Packet Initiator::send(std::uint32_t slot, Time now) {
  Chunk& chunk = chunks_[slot];
  const Operation& operation = operations_[chunk.operation];
  TargetPeer& target = targets_[operation.target];
  const bool again = chunk.last_number != 0;
  ++(!again ? shared_.statistics.operation_packets : shared_.statistics.operations_again);
  chunk.last_number = shared_.epochs.next(now);
  if (chunk.first_number == 0) chunk.first_number = chunk.last_number;
  chunk.lost = false;
  ++target.in_flight;
  target.flying.push(slot, chunks_);
  if (operation.kind == PacketKind::get) ++gets_in_flight_;
  if (target.unanswered_since == never) target.unanswered_since = now;
  deadlines_.set(slot, now + timeout(target));

  Packet packet;
  packet.kind = operation.kind;
  packet.to = targets_.peer(operation.target);
  packet.epoch = chunk.last_number;
  packet.sequence = slot;
  packet.stamp = stamp_of(now);
  packet.resent = again;
  packet.more = operation.kind == PacketKind::put && may_share_answer(target);
  packet.range = RemoteRange{operation.at.key, operation.at.offset + chunk.offset, chunk.size};
  if (operation.kind == PacketKind::put) packet.payload = {operation.source + chunk.offset, chunk.size};
  return packet;
}

/// Stretched by up to a quarter, so that initiators whose packets collided once do not collide for ever.
Duration Initiator::timeout(const TargetPeer& target) {
  const Duration least = target.round_trip.timeout(shared_.options.retransmission);
  return least + Duration(shared_.random.below(static_cast<std::uint64_t>(least.count()) / 4 + 1));
}

// ---- Answers

void Initiator::on_answer(Time now, const Packet& packet) {
  Packet earlier = packet;
  earlier.stamp = 0;
  earlier.payload = {};
  for (auto rest = packet.kind == PacketKind::done ? packet.payload : std::span<const std::byte>{}; !rest.empty();) {
    const FinishedPut put = take_finished_put(rest);
    earlier.epoch = put.number;
    earlier.sequence = put.sequence;
    take_answer(now, earlier);
  }
  take_answer(now, packet);
}

void Initiator::take_answer(Time now, const Packet& packet) {
  if (!answers(packet)) return;
  const std::uint32_t slot = packet.sequence;
  const ContextId id = operations_[chunks_[slot].operation].target;
  TargetPeer& target = targets_[id];
  target.heard = now;
  target.unanswered_since = never;
  target.attempts = 0;
  take_sample(target, packet, now);
  const bool latest = packet.epoch == chunks_[slot].last_number;
  if (latest && packet.kind == PacketKind::stale) {
    shared_.epochs.raise(*packet.floor);
    lose(slot, LossReason::renewed);
  } else if (latest || packet.kind == PacketKind::contents) {
    // Only the answer to the latest copy of a put says that no copy will be carried out later.
    shared_.trace.notify(
        [&](Observer& observer, Time at) { observer.packet_acknowledged(at, name(slot), slot, chunks_[slot].lost); });
    land(slot, packet);
  }
  find_overtaken(target, packet.epoch, now);
  if (!target.again.empty() || !target.uncut.empty()) ready_.push(id);
}

/// Copies are in flight in the order of their numbers, so those before the one that was answered are overtaken: by
/// three, they are lost; by fewer, if their answers do not come within the reordering window, to which their timers are
/// set.
void Initiator::find_overtaken(TargetPeer& target, Epoch answered, Time now) {
  for (Epoch& latest : target.answered) {
    if (answered > latest) std::swap(answered, latest);
  }
  const auto& [newest, second, third] = target.answered;
  while (!target.flying.empty() && chunks_[target.flying.head].last_number < third) {
    lose(target.flying.head, LossReason::overtaken);
  }
  const Time late = now + target.round_trip.smoothed() / 4;
  for (std::uint32_t slot = target.flying.head; slot != no_id && chunks_[slot].last_number < newest;
       slot = chunks_[slot].next) {
    if (deadlines_.of(slot) > late) deadlines_.set(slot, late);
  }
}

/// Whether it is for a copy of a chunk that is not settled yet. Numbers are never used twice.
bool Initiator::answers(const Packet& packet) const {
  if (packet.sequence >= chunks_.size()) return false;
  const Chunk& chunk = chunks_[packet.sequence];
  if (chunk.last_number == 0 || packet.epoch < chunk.first_number || packet.epoch > chunk.last_number) return false;
  const Operation& operation = operations_[chunk.operation];
  if (targets_.peer(operation.target) != packet.from) return false;
  if (packet.kind == PacketKind::refused) return true;
  const bool of_a_get = packet.kind == PacketKind::contents;
  return of_a_get == (operation.kind == PacketKind::get) && (!of_a_get || packet.payload.size() == chunk.size);
}

/// Every copy is timed by itself. An answer to an earlier one shows that the later was sent too soon.
void Initiator::take_sample(TargetPeer& target, const Packet& packet, Time now) {
  if (const auto round_trip = since_stamp(packet.stamp, now)) target.round_trip.sample(*round_trip);
  const bool too_soon = packet.epoch < chunks_[packet.sequence].last_number;
  target.round_trip.judge(1, too_soon ? 1 : 0, too_soon ? 1 : 0, shared_.options.retransmission);
  target.congestion.on_acknowledged(1);
}

void Initiator::land(std::uint32_t slot, const Packet& packet) {
  const Chunk chunk = chunks_[slot];
  Operation& operation = operations_[chunk.operation];
  if (packet.kind == PacketKind::contents) {
    std::memcpy(operation.sink + chunk.offset, packet.payload.data(), chunk.size);
  }
  if (packet.kind == PacketKind::refused) {
    operation.refused = true;
    operation.cut = operation.size;
    targets_[operation.target].uncut.remove(chunk.operation, operations_);
  }
  settle(slot);
  if (operation.chunks > 0 || operation.cut < operation.size) return;
  end(chunk.operation, operation.refused ? Event::Kind::refused : Event::Kind::completed);
}

void Initiator::settle(std::uint32_t slot) {
  Chunk& chunk = chunks_[slot];
  Operation& operation = operations_[chunk.operation];
  if (chunk.lost) {
    targets_[operation.target].again.remove(slot, chunks_);
  } else {
    leave_flight(slot);
  }
  --operation.chunks;
  chunk.last_number = 0;
  unused_chunks_.push(slot, chunks_);
  wake_starved();
}

/// A lost chunk keeps its memory, but others may go before it is sent again.
void Initiator::lose(std::uint32_t slot, LossReason reason) {
  if (chunks_[slot].lost) return;
  note_lost(slot, reason);
  leave_flight(slot);
  chunks_[slot].lost = true;
  const ContextId target = operations_[chunks_[slot].operation].target;
  // Who was refused as stale has arrived: that the network reorders says nothing of how much it carries.
  if (reason != LossReason::renewed) targets_[target].congestion.on_lost(1);
  targets_[target].again.push(slot, chunks_);
  ready_.push(target);
}

void Initiator::note_lost(std::uint32_t slot, LossReason reason) const {
  shared_.trace.notify([&](Observer& observer, Time now) { observer.packet_lost(now, name(slot), slot, reason); });
}

void Initiator::leave_flight(std::uint32_t slot) {
  const Operation& operation = operations_[chunks_[slot].operation];
  --targets_[operation.target].in_flight;
  SlotQueue& flying = targets_[operation.target].flying;
  if (flying.head == slot) {
    (void)flying.pop(chunks_);
  } else {
    flying.remove(slot, chunks_);
  }
  if (operation.kind == PacketKind::get) --gets_in_flight_;
  deadlines_.clear(slot);
  wake_starved();
}

void Initiator::wake_starved() {
  while (!starved_.empty()) ready_.push(starved_.pop());
}

void Initiator::end(std::uint32_t slot, Event::Kind kind) {
  Operation& operation = operations_[slot];
  TargetPeer& target = targets_[operation.target];
  shared_.events.push_back({.kind = kind, .peer = targets_.peer(operation.target), .token = operation.token});
  if (--target.operations == 0) idle_.push(operation.target);
  operation.target = no_id;
  unused_operations_.push(slot, operations_);
  ++free_operations_;
  freed_ = true;
}

// ---- Time-outs

void Initiator::advance(Time now) {
  for (std::uint32_t n = 0; n < shared_.options.retransmission.resends_per_call; ++n) {
    const auto slot = deadlines_.pop_due(now);
    if (!slot) break;
    time_out(*slot, now);
  }
}

/// What was overtaken and is late is lost. Otherwise nothing was heard for a whole timeout: one chunk is sent again, as
/// a probe (RFC 9002, section 6.2), and the others wait: if they are lost, too, its answer will have overtaken them.
void Initiator::time_out(std::uint32_t slot, Time now) {
  const ContextId id = operations_[chunks_[slot].operation].target;
  TargetPeer& target = targets_[id];
  if (chunks_[slot].last_number < target.answered[0]) return lose(slot, LossReason::overtaken);
  const bool silent =
      target.unanswered_since != never && now - target.unanswered_since >= shared_.options.give_up_after;
  if (silent && target.attempts >= shared_.options.give_up_attempts) {
    const Event lost{.kind = Event::Kind::lost, .peer = targets_.peer(id), .since = target.heard};
    ++shared_.statistics.lost_peers;
    abandon(lost.peer);
    return shared_.events.push_back(lost);
  }
  if (++target.attempts >= attempts_of_silence) target.congestion.on_silence();
  target.round_trip.timed_out();
  lose(slot, LossReason::timeout);
  const Time later = now + timeout(target);
  for (std::uint32_t other = target.flying.head; other != no_id; other = chunks_[other].next) {
    deadlines_.set(other, later);
  }
}

void Initiator::abandon(PeerId peer) {
  const auto id = targets_.find({peer, Lane::messages});
  if (!id) return;
  for (std::uint32_t slot = 0; slot < chunks_.size(); ++slot) {
    if (chunks_[slot].last_number == 0 || operations_[chunks_[slot].operation].target != *id) continue;
    if (!chunks_[slot].lost) note_lost(slot, LossReason::peer_lost);
    settle(slot);
  }
  for (std::uint32_t slot = 0; slot < operations_.size(); ++slot) {
    if (operations_[slot].target == *id) end(slot, Event::Kind::failed);
  }
  for (IdQueue* queue : {&ready_, &starved_, &idle_}) queue->remove(*id);
  targets_.erase(*id);
}

}  // namespace ayatori::transport
