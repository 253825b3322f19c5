#include "initiator.hpp"

#include <algorithm>
#include <cstring>

namespace ayatori::transport {

Initiator::Initiator(Shared& shared)
    : shared_(shared),
      piece_bytes_(shared.options.datagram_bytes - std::uint32_t{header_bytes + range_bytes}),
      targets_(shared.options.targets),
      idle_(shared.options.targets),
      ready_(shared.options.targets),
      starved_(shared.options.targets),
      operations_(shared.options.operations),
      pieces_(shared.options.operations),
      free_operations_(shared.options.operations),
      deadlines_(shared.options.operations) {
  for (std::uint32_t slot = 0; slot < shared.options.operations; ++slot) {
    unused_operations_.push(slot, operations_);
    unused_pieces_.push(slot, pieces_);
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
  target.width = shared_.options.initial_window;
  target.heard = now;
  return id;
}

bool Initiator::take_news_of_room() {
  if (!was_refused_ || !freed_) return false;
  was_refused_ = false;
  return true;
}

// ---- Packets out

std::optional<Packet> Initiator::next_packet(Time now) {
  while (!ready_.empty()) {
    const ContextId id = ready_.front();
    if (const auto piece = next_piece(id)) {
      ready_.move_to_end(id);
      return send(*piece, now);
    }
    ready_.remove(id);
  }
  return std::nullopt;
}

/// What was lost goes first.
std::optional<std::uint32_t> Initiator::next_piece(ContextId id) {
  TargetPeer& target = targets_[id];
  const bool again = !target.again.empty();
  if (target.flight >= target.width || (!again && target.uncut.empty())) return std::nullopt;
  const std::uint32_t operation = again ? pieces_[target.again.head].operation : target.uncut.head;
  if (!buffer_free_for(operations_[operation].kind) || (!again && unused_pieces_.empty())) {
    starved_.push(id);
    return std::nullopt;
  }
  return again ? target.again.pop(pieces_) : cut(operation);
}

/// Answers to gets come as fast as we ask: never for more than half of the buffers, for others send, too.
bool Initiator::buffer_free_for(PacketKind kind) const {
  return kind == PacketKind::put || gets_in_flight_ < std::max(1U, shared_.options.receive_buffers / 2);
}

std::uint32_t Initiator::cut(std::uint32_t slot) {
  Operation& operation = operations_[slot];
  const std::uint32_t piece = unused_pieces_.pop(pieces_);
  const Bytes size = std::min<Bytes>(piece_bytes_, operation.size - operation.cut);
  pieces_[piece] = {.operation = slot, .offset = operation.cut, .size = static_cast<std::uint32_t>(size)};
  operation.cut += size;
  ++operation.pieces;
  if (operation.cut == operation.size) (void)targets_[operation.target].uncut.pop(operations_);
  return piece;
}

Packet Initiator::send(std::uint32_t slot, Time now) {
  Piece& piece = pieces_[slot];
  const Operation& operation = operations_[piece.operation];
  TargetPeer& target = targets_[operation.target];
  ++(piece.last_number == 0 ? shared_.statistics.operation_packets : shared_.statistics.operations_again);
  piece.last_number = shared_.epochs.next(now);
  if (piece.first_number == 0) piece.first_number = piece.last_number;
  piece.lost = false;
  ++target.flight;
  if (operation.kind == PacketKind::get) ++gets_in_flight_;
  if (target.unanswered_since == never) target.unanswered_since = now;
  const Duration timeout = target.round_trip.timeout(shared_.options.retransmission);
  deadlines_.set(slot,
                 now + timeout + Duration(shared_.random.below(static_cast<std::uint64_t>(timeout.count()) / 4 + 1)));

  Packet packet;
  packet.kind = operation.kind;
  packet.to = targets_.peer(operation.target);
  packet.epoch = piece.last_number;
  packet.sequence = slot;
  packet.stamp = stamp_of(now);
  packet.range = RemoteRange{operation.at.key, operation.at.offset + piece.offset, piece.size};
  if (operation.kind == PacketKind::put) packet.payload = {operation.source + piece.offset, piece.size};
  return packet;
}

// ---- Answers

void Initiator::on_answer(Time now, const Packet& packet) {
  if (!answers(packet)) return;
  const std::uint32_t slot = packet.sequence;
  const ContextId id = operations_[pieces_[slot].operation].target;
  TargetPeer& target = targets_[id];
  target.heard = now;
  target.unanswered_since = never;
  target.attempts = 0;
  take_sample(target, packet, now);
  const bool latest = packet.epoch == pieces_[slot].last_number;
  if (latest && packet.kind == PacketKind::stale) {
    shared_.epochs.raise(*packet.floor);
    lose(slot);
  } else if (latest || packet.kind == PacketKind::contents) {
    // Of a put only the answer to the copy sent last says that none will be carried out any more.
    land(slot, packet);
  }
  if (!target.again.empty() || !target.uncut.empty()) ready_.push(id);
}

/// Whether it is for a copy of a piece that is not settled yet. Numbers are never used twice.
bool Initiator::answers(const Packet& packet) const {
  if (packet.sequence >= pieces_.size()) return false;
  const Piece& piece = pieces_[packet.sequence];
  if (piece.last_number == 0 || packet.epoch < piece.first_number || packet.epoch > piece.last_number) return false;
  const Operation& operation = operations_[piece.operation];
  if (targets_.peer(operation.target) != packet.from) return false;
  if (packet.kind == PacketKind::refused) return true;
  const bool of_a_get = packet.kind == PacketKind::contents;
  return of_a_get == (operation.kind == PacketKind::get) && (!of_a_get || packet.payload.size() == piece.size);
}

/// Every copy is timed by itself. An answer to an earlier one shows that the later was sent too soon.
void Initiator::take_sample(TargetPeer& target, const Packet& packet, Time now) {
  if (const auto round_trip = since_stamp(packet.stamp, now)) target.round_trip.sample(*round_trip);
  const bool too_soon = packet.epoch < pieces_[packet.sequence].last_number;
  target.round_trip.judge(1, too_soon ? 1 : 0, shared_.options.retransmission);
  if (++target.grown < target.width) return;
  target.grown = 0;
  target.width = std::min(target.width + 1, shared_.options.window);
}

void Initiator::land(std::uint32_t slot, const Packet& packet) {
  const Piece piece = pieces_[slot];
  Operation& operation = operations_[piece.operation];
  if (packet.kind == PacketKind::contents) {
    std::memcpy(operation.sink + piece.offset, packet.payload.data(), piece.size);
  }
  if (packet.kind == PacketKind::refused) {
    operation.refused = true;
    operation.cut = operation.size;
    targets_[operation.target].uncut.remove(piece.operation, operations_);
  }
  settle(slot);
  if (operation.pieces > 0 || operation.cut < operation.size) return;
  end(piece.operation, operation.refused ? Event::Kind::refused : Event::Kind::completed);
}

void Initiator::settle(std::uint32_t slot) {
  Piece& piece = pieces_[slot];
  Operation& operation = operations_[piece.operation];
  if (piece.lost) {
    targets_[operation.target].again.remove(slot, pieces_);
  } else {
    leave_flight(slot);
  }
  --operation.pieces;
  piece.last_number = 0;
  unused_pieces_.push(slot, pieces_);
  wake_starved();
}

/// A lost piece keeps its memory, but others may go before it is sent again.
void Initiator::lose(std::uint32_t slot) {
  if (pieces_[slot].lost) return;
  leave_flight(slot);
  pieces_[slot].lost = true;
  const ContextId target = operations_[pieces_[slot].operation].target;
  targets_[target].again.push(slot, pieces_);
  ready_.push(target);
}

void Initiator::leave_flight(std::uint32_t slot) {
  const Operation& operation = operations_[pieces_[slot].operation];
  --targets_[operation.target].flight;
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

/// Of the copies that were under way together, the first loss slows down and counts as an attempt; the others don't.
void Initiator::time_out(std::uint32_t slot, Time now) {
  const ContextId id = operations_[pieces_[slot].operation].target;
  TargetPeer& target = targets_[id];
  const bool silent =
      target.unanswered_since != never && now - target.unanswered_since >= shared_.options.give_up_after;
  if (silent && target.attempts >= shared_.options.give_up_attempts) {
    const Event lost{.kind = Event::Kind::lost, .peer = targets_.peer(id), .since = target.heard};
    ++shared_.statistics.lost_peers;
    abandon(lost.peer);
    return shared_.events.push_back(lost);
  }
  if (pieces_[slot].last_number > target.recovered_until) {
    target.recovered_until = shared_.epochs.last();
    ++target.attempts;
    target.round_trip.timed_out();
    target.width = std::max(1U, target.width / 2);
  }
  lose(slot);
}

void Initiator::abandon(PeerId peer) {
  const auto id = targets_.find({peer, Lane::messages});
  if (!id) return;
  for (std::uint32_t slot = 0; slot < pieces_.size(); ++slot) {
    if (pieces_[slot].last_number != 0 && operations_[pieces_[slot].operation].target == *id) settle(slot);
  }
  for (std::uint32_t slot = 0; slot < operations_.size(); ++slot) {
    if (operations_[slot].target == *id) end(slot, Event::Kind::failed);
  }
  for (IdQueue* queue : {&ready_, &starved_, &idle_}) queue->remove(*id);
  targets_.erase(*id);
}

}  // namespace ayatori::transport
