#include "ayatori/transport/endpoint.hpp"

#include <algorithm>
#include <iterator>

#include "initiator.hpp"
#include "receiver.hpp"
#include "sender.hpp"
#include "shared.hpp"
#include "target.hpp"

namespace ayatori::transport {

namespace {

PacketSeen seen(const Packet& packet) {
  const Lane lane = packet.message == MessageKind::reply ? Lane::replies : Lane::messages;
  return {packet.kind, {packet.to, lane, packet.epoch}, packet.sequence, packet.resent};
}

}  // namespace

struct Endpoint::State {
  State(const Identity& chosen, const Options& options, Application& above)
      : identity(chosen),
        shared(options, above, chosen.seed, chosen.floor),
        sender(shared),
        receiver(shared, sender, chosen.floor) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { receiver.release_memory(); }

  [[nodiscard]] Initiator& as_initiator();
  [[nodiscard]] Target& as_target();
  void take(Time now, const Packet& packet);
  void take_express(Time now, const ExpressPacket& packet);
  void notify_application(Time now);
  void abandon_lost_peers();
  void notify(const Event& event, Time now);
  void deliver(const Event& event);
  void operate(const Event& event, Time now);
  [[nodiscard]] bool next(Time now, Packet& packet);
  [[nodiscard]] bool has_packets() const;
  [[nodiscard]] std::optional<Datagram> wrap(Packet& packet, bool express = false);
  [[nodiscard]] bool ready() const;

  Identity identity;
  Shared shared;
  Sender sender;
  Receiver receiver;
  std::unique_ptr<Initiator> initiator;  // this and `target` are made on first use: many endpoints need neither
  std::unique_ptr<Target> target;
  HeaderBuffer header{};
  PacketSeen express_offered;  // the packet of next_express(), for the observer
};

Initiator& Endpoint::State::as_initiator() {
  if (!initiator) initiator = std::make_unique<Initiator>(shared);
  return *initiator;
}

Target& Endpoint::State::as_target() {
  if (!target) target = std::make_unique<Target>(shared, identity.floor);
  return *target;
}

void Endpoint::State::take(Time now, const Packet& packet) {
  sender.on_heard(now, packet.from);
  if (packet.acknowledgement) sender.on_acknowledgement(now, packet);
  switch (packet.kind) {
    case PacketKind::data:
      return receiver.on_data(now, packet);
    case PacketKind::express:
      return receiver.on_express(packet);
    case PacketKind::ask:
      return receiver.on_ask(now, packet);
    case PacketKind::close:
      return receiver.on_close(packet);
    case PacketKind::retire:
      return sender.on_retire(now, packet);
    case PacketKind::renew:
      return sender.on_renew(now, packet);
    case PacketKind::reset:
      return sender.on_reset(packet);
    case PacketKind::acknowledgement:
    case PacketKind::busy:
      return;  // all that it says was taken in above
    case PacketKind::put:
      return as_target().on_put(now, packet);
    case PacketKind::get:
      return as_target().on_get(packet);
    case PacketKind::contents:
    case PacketKind::done:
    case PacketKind::stale:
    case PacketKind::refused:
      if (initiator) initiator->on_answer(now, packet);
      return;
  }
}

/// Delivers at once: the receiver keeps no state for express packets. The sender notes that the peer was heard.
void Endpoint::State::take_express(Time now, const ExpressPacket& packet) {
  ++shared.statistics.received;
  shared.statistics.delivered += packet.messages;
  deliver({.peer = packet.from, .bytes = packet.payload, .several = packet.several});
  sender.on_heard(now, packet.from);
  notify_application(now);
}

/// Callbacks may call send() and call(), which never add an event.
void Endpoint::State::notify_application(Time now) {
  abandon_lost_peers();
  for (const Event& event : shared.events) notify(event, now);
  shared.events.clear();
  const bool room_to_send = sender.buffer_became_free();
  if ((initiator && initiator->buffer_became_free()) || room_to_send) shared.application.room();
}

/// One part of the endpoint has found that a peer is lost. The other parts give the peer up, too, and the application
/// is notified of the loss after all other events.
void Endpoint::State::abandon_lost_peers() {
  const auto is_lost = [](const Event& event) { return event.kind == Event::Kind::lost; };
  if (std::ranges::none_of(shared.events, is_lost)) return;
  std::vector<Event> lost;
  std::ranges::copy_if(shared.events, std::back_inserter(lost), is_lost);
  std::erase_if(shared.events, is_lost);
  for (const Event& event : lost) {
    receiver.abandon(event.peer);
    sender.abandon(event.peer);
    if (initiator) initiator->abandon(event.peer);
  }
  shared.events.insert(shared.events.end(), lost.begin(), lost.end());
}

void Endpoint::State::notify(const Event& event, Time now) {
  Application& application = shared.application;
  switch (event.kind) {
    case Event::Kind::deliver:
      return deliver(event);
    case Event::Kind::release:
      return application.release(event.reserved);
    case Event::Kind::acknowledged:
      return application.acknowledged(event.token);
    case Event::Kind::failed:
      return application.failed(event.token);
    case Event::Kind::lost:
      return application.lost(event.peer, event.since);
    case Event::Kind::operate:
      return operate(event, now);
    case Event::Kind::returned:
      application.returned(event.token, event.bytes);
      if (event.reserved) application.release(event.reserved);
      return;
    case Event::Kind::completed:
      return application.completed(event.token);
    case Event::Kind::refused:
      return application.refused(event.token);
  }
}

void Endpoint::State::deliver(const Event& event) {
  if (!event.several) return shared.application.deliver(event.peer, event.bytes, event.reserved);
  for (auto rest = event.bytes; !rest.empty();) shared.application.deliver(event.peer, take_message(rest), nullptr);
  if (event.reserved) shared.application.release(event.reserved);
}

void Endpoint::State::operate(const Event& event, Time now) {
  const auto call_id = event.bytes.first(operation_id_bytes);
  const OperationResult result = shared.application.operate(event.peer, event.bytes.subspan(operation_id_bytes));
  sender.reply(now, event.reply, call_id, result);
  if (event.reserved) shared.application.release(event.reserved);
}

/// Fills a fresh packet; false if there is nothing to send.
bool Endpoint::State::next(Time now, Packet& packet) {
  const auto take = [&](const std::optional<Packet>& made) {
    if (made) packet = *made;
    return made.has_value();
  };
  if (take(shared.notices.take())) return true;
  if (target && target->owes()) return take(target->next_packet());
  if (sender.next_packet(now, packet)) {
    if (packet.kind == PacketKind::data) packet.acknowledgement = receiver.take_owed(packet.to);
    return true;
  }
  if (initiator && take(initiator->next_packet(now))) return true;
  return take(receiver.next_packet());
}

/// Builds the datagram in the value that is returned: a copy would take longer than the rest of this function.
std::optional<Datagram> Endpoint::State::wrap(Packet& packet, bool express) {
  packet.from = identity.self;
  std::optional<Datagram> made;
  Datagram& datagram = made.emplace();
  datagram.to = packet.to;
  datagram.control = !carries_data(packet.kind);
  datagram.header = encode_header(packet, identity.key, header);
  datagram.payload = packet.payload;
  datagram.express = express;
  shared.trace.notify([&](Observer& observer, Time at) {
    if (datagram.express) {
      express_offered = seen(packet);  // the wire may refuse it
    } else {
      observer.packet_sent(at, seen(packet));
    }
  });
  return made;
}

bool Endpoint::State::has_packets() const { return ready() || !shared.notices.empty() || receiver.owes(); }

bool Endpoint::State::ready() const {
  return sender.ready() || (target && target->owes()) || (initiator && initiator->ready());
}

Result<Endpoint> Endpoint::make(const Identity& identity, const Options& options, Application& application) {
  if (auto good = check(options); !good) return Failure(good.error());
  return Endpoint(std::make_unique<State>(identity, options, application));
}

Endpoint::Endpoint(std::unique_ptr<State> state) : state_(std::move(state)) {}
Endpoint::Endpoint(Endpoint&&) noexcept = default;
Endpoint& Endpoint::operator=(Endpoint&&) noexcept = default;
Endpoint::~Endpoint() = default;

void Endpoint::use_express(std::function<bool(PeerId)> lossless) { state_->shared.lossless = std::move(lossless); }

void Endpoint::observe(Observer* observer) { state_->shared.trace.observe(observer); }

bool Endpoint::send(Time now, PeerId to, std::span<const std::byte> message, Token token, Order order) {
  state_->shared.trace.at(now);
  return state_->sender.send(now, to, message, token, order == Order::unordered);
}

bool Endpoint::call(Time now, PeerId to, std::span<const std::byte> request, Token token) {
  state_->shared.trace.at(now);
  return state_->sender.call(now, to, request, token);
}

bool Endpoint::notify(Time now, PeerId to, std::span<const std::byte> message) {
  state_->shared.trace.at(now);
  return state_->shared.notices.add(to, message);
}

bool Endpoint::put(Time now, PeerId to, RemoteAddress at, std::span<const std::byte> bytes, Token token) {
  state_->shared.trace.at(now);
  return state_->as_initiator().put(now, to, at, bytes, token);
}

bool Endpoint::get(Time now, PeerId from, RemoteAddress at, std::span<std::byte> into, Token token) {
  state_->shared.trace.at(now);
  return state_->as_initiator().get(now, from, at, into, token);
}

void Endpoint::take_all_memory() {
  (void)state_->as_initiator();
  (void)state_->as_target();
}

void Endpoint::receive(Time now, std::span<const std::byte> datagram) {
  state_->shared.trace.at(now);
  Statistics& statistics = state_->shared.statistics;
  const PeerId procs = state_->identity.procs;
  if (const auto express = decode_express(datagram, state_->identity.key, state_->identity.self)) {
    if (express->from < procs) return state_->take_express(now, *express);
    ++statistics.strangers;
    return;
  }
  const auto packet = decode(datagram, state_->identity.key, state_->identity.self);
  if (!packet) {
    ++(packet.error() == PacketDefect::stranger ? statistics.strangers : statistics.malformed);
    return;
  }
  if (packet->from >= procs) {
    ++statistics.strangers;
    return;
  }
  ++statistics.received;
  state_->take(now, *packet);
  state_->notify_application(now);
}

std::optional<Datagram> Endpoint::next_packet(Time now) {
  state_->shared.trace.at(now);
  Packet packet;
  if (!state_->has_packets() || !state_->next(now, packet)) return std::nullopt;
  if (!carries_data(packet.kind)) ++state_->shared.statistics.control_packets;
  return state_->wrap(packet);
}

std::optional<Datagram> Endpoint::next_express() {
  Packet packet;
  if (!state_->sender.next_express(packet)) return std::nullopt;
  packet.acknowledgement = state_->receiver.take_owed(packet.to);
  return state_->wrap(packet, true);
}

void Endpoint::settle_express(Time now, bool taken) {
  state_->shared.trace.at(now);
  if (taken) {
    state_->shared.trace.notify(
        [&](Observer& observer, Time at) { observer.packet_sent(at, state_->express_offered); });
  }
  state_->sender.settle_express(now, taken);
  state_->notify_application(now);
}

bool Endpoint::ready() const { return state_->ready(); }

void Endpoint::advance(Time now) {
  state_->shared.trace.at(now);
  state_->sender.advance(now);
  state_->receiver.advance(now);
  if (state_->initiator) state_->initiator->advance(now);
  if (state_->target) state_->target->advance(now);
  state_->notify_application(now);
}

Time Endpoint::next_deadline() const {
  return std::min({state_->sender.next_deadline(), state_->receiver.next_deadline(),
                   state_->initiator ? state_->initiator->next_deadline() : never,
                   state_->target ? state_->target->next_deadline() : never});
}

void Endpoint::close_idle(Time now) {
  state_->shared.trace.at(now);
  state_->sender.close_idle();
  state_->receiver.retire_all(now);
}

bool Endpoint::fully_closed() const {
  return state_->sender.contexts() == 0 && !state_->sender.awaits_replies() && state_->receiver.contexts() == 0 &&
         state_->shared.notices.empty() && (!state_->initiator || state_->initiator->idle()) &&
         (!state_->target || (!state_->target->owes() && state_->target->next_deadline() == never));
}

Epoch Endpoint::retire(Time now) {
  EpochClock& epochs = state_->shared.epochs;
  epochs.raise(state_->receiver.highest_floor());
  if (state_->target) epochs.raise(state_->target->highest_floor());
  return epochs.next(now);
}

const Statistics& Endpoint::statistics() const { return state_->shared.statistics; }
std::uint32_t Endpoint::outgoing_contexts() const { return state_->sender.contexts(); }
std::uint32_t Endpoint::incoming_contexts() const { return state_->receiver.contexts(); }
std::uint32_t Endpoint::total_credit() const { return state_->receiver.total_credit(); }

}  // namespace ayatori::transport
