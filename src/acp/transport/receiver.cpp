#include "receiver.hpp"

#include <algorithm>

namespace ayatori::transport {

namespace {

std::uint32_t incoming_table_size(const Options& options) { return options.incoming_contexts + options.replies; }

}  // namespace

Receiver::Receiver(Shared& shared, Sender& sender, Epoch floor)
    : shared_(shared),
      sender_(sender),
      floors_(shared.options.epoch_cells, floor),
      admission_(shared.options),
      flows_(incoming_table_size(shared.options)),
      assemblies_(shared.options.assemblies),
      owed_(incoming_table_size(shared.options)),
      recency_{IdQueue(incoming_table_size(shared.options)), IdQueue(incoming_table_size(shared.options))},
      deadlines_(incoming_table_size(shared.options)) {
  for (std::uint32_t slot = shared.options.assemblies; slot-- > 0;) free(slot);
}

// ---- Packets in

void Receiver::on_data(Time now, const Packet& packet) {
  const auto id = admit(now, packet);
  if (!id) return;
  IncomingFlow& flow = flows_[*id];
  switch (flow.window.judge(packet.sequence)) {
    case ReceiveWindow::Verdict::beyond:
      return;
    case ReceiveWindow::Verdict::duplicate:
      ++flow.duplicates;
      ++shared_.statistics.duplicates;
      owe(*id, packet);
      break;
    case ReceiveWindow::Verdict::fresh:
      if (!place(*id, packet)) {
        ++shared_.statistics.no_room;
        break;
      }
      admission_.arrived(*id, packet, now);
      grant(now);
      owe_for(*id, packet, now);
      break;
  }
  arm(*id);
}

/// An express packet comes once, in order, and needs no room, so neither context nor window takes note of it.
void Receiver::on_express(const Packet& packet) { (void)deliver_now(packet); }

void Receiver::on_ask(Time now, const Packet& packet) {
  const auto id = admit(now, packet);
  if (!id) return;
  IncomingFlow& flow = flows_[*id];
  if (packet.sequence > flow.window.cumulative()) {
    admission_.overflowed(*id, now);
  } else if (packet.more) {
    admission_.wants(*id);
  }
  grant(now);
  flow.asked = packet.sequence;
  owe(*id, packet);
  arm(*id);
}

void Receiver::on_close(const Packet& packet) {
  for (const Lane lane : {Lane::messages, Lane::replies}) {
    const auto id = flows_.find({packet.from, lane});
    if (!id || flows_[*id].epoch != packet.epoch) continue;
    ++shared_.statistics.closed;
    forget(*id);
  }
}

void Receiver::release_memory() {
  for (ContextId id = 0; id < flows_.capacity(); ++id) {
    if (!flows_.used(id)) continue;
    for (std::uint32_t slot = flows_[id].assemblies; slot != no_id; slot = assemblies_[slot].next) {
      if (assemblies_[slot].memory) shared_.application.release(assemblies_[slot].memory);
    }
  }
}

// ---- Acknowledgements out

/// Packets of a stream share an acknowledgement. It is sent at once if the sender may be waiting for it, and if the
/// sender has used up its credit, as when rationing has just ended: without it the sender would take packets for
/// lost that have arrived.
void Receiver::owe_for(ContextId id, const Packet& packet, Time now) {
  IncomingFlow& flow = flows_[id];
  if (flow.echo == 0) flow.echo = packet.stamp;
  const bool goes_on = packet.more && flow.window.cumulative() < flow.credit_limit;
  const bool stream = goes_on && !packet.resent && !admission_.rationing() && flow.window.selective() == 0;
  if (!stream || ++flow.unacknowledged >= shared_.options.acknowledge_every) return owe(id, packet);
  if (flow.acknowledge_by == never) flow.acknowledge_by = now + shared_.options.acknowledge_within;
}

void Receiver::owe(ContextId id, const Packet& packet) {
  if (flows_[id].echo == 0) flows_[id].echo = packet.stamp;
  owed_.push(id);
}

Acknowledgement Receiver::acknowledge(ContextId id) {
  IncomingFlow& flow = flows_[id];
  owed_.remove(id);
  flow.unacknowledged = 0;
  flow.acknowledge_by = never;
  Acknowledgement made;
  made.epoch = flow.epoch;
  made.cumulative = flow.window.cumulative();
  made.selective = flow.window.selective();
  made.serial = ++flow.serial;
  made.credit = admission_.credit(id);
  flow.credit_limit = made.cumulative + made.credit;
  made.queued = admission_.queued(id);
  made.rationed = admission_.contended();
  made.duplicates = flow.duplicates;
  made.echo = std::exchange(flow.echo, 0);
  arm(id);
  return made;
}

std::optional<Acknowledgement> Receiver::take_owed(PeerId peer) {
  for (const Lane lane : {Lane::messages, Lane::replies}) {
    const auto id = flows_.find({peer, lane});
    if (!id || flows_[*id].asked) continue;  // an answer repeats the ask's sequence: it travels alone
    if (owed_.contains(*id) || flows_[*id].unacknowledged > 0) return acknowledge(*id);
  }
  return std::nullopt;
}

std::optional<Packet> Receiver::next_packet() {
  if (!owes()) return std::nullopt;
  const ContextId id = owed_.front();
  Packet packet;
  packet.kind = PacketKind::acknowledgement;
  packet.to = flows_.peer(id);
  packet.epoch = flows_[id].epoch;
  packet.acknowledgement = acknowledge(id);
  if (const auto asked = std::exchange(flows_[id].asked, std::nullopt)) {
    packet.sequence = *asked;
    packet.acknowledgement->answer = true;
  }
  return packet;
}

void Receiver::grant(Time now) {
  while (const auto id = admission_.grant(now)) {
    owed_.push(*id);
    arm(*id);
  }
}

// ---- Time

void Receiver::advance(Time now) {
  while (const auto id = deadlines_.pop_due(now)) {
    IncomingFlow& flow = flows_[*id];
    if (flow.acknowledge_by <= now) owed_.push(*id);
    admission_.expire(*id, now);
    if (flow.retire_since != never) {
      if (now >= retire_due(flow)) check_retiring(*id, now);
    } else if (flow.assemblies != no_id && now >= flow.heard + shared_.options.give_up_after) {
      // Packets wait here for missing ones, and the sender was silent for long: it has to go on, or to close.
      ask_to_retire(*id, now);
    }
    if (flows_.used(*id)) arm(*id);
  }
  grant(now);
}

void Receiver::arm(ContextId id) {
  const IncomingFlow& flow = flows_[id];
  Time when = std::min(owed_.contains(id) ? never : flow.acknowledge_by, admission_.lease_end(id));
  if (flow.retire_since != never) {
    when = std::min(when, retire_due(flow));
  } else if (flow.assemblies != no_id) {
    when = std::min(when, flow.heard + shared_.options.give_up_after);
  }
  deadlines_.set(id, when);
}

}  // namespace ayatori::transport
