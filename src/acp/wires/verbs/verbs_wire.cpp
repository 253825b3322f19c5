#include "ayatori/verbs/verbs_wire.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include "ayatori/bounded/buffers.hpp"
#include "ayatori/bounded/peer_cache.hpp"
#include "send_ring.hpp"
#include "verbs_port.hpp"

namespace ayatori::wires {

using transport::Datagram;

namespace {

constexpr std::uint32_t least_datagram = 192;

/// How often completions of sends are polled while the wire sleeps: they raise no event.
constexpr Duration retry_after = std::chrono::microseconds(100);

Result<> check(const VerbsOptions& options) {
  if (options.datagram_bytes < least_datagram) {
    return fail("datagram_bytes is {}; it must be at least {}", options.datagram_bytes, least_datagram);
  }
  if (options.receive_buffers == 0) return fail("receive_buffers is 0; it must be at least 1");
  if (options.control_buffers == 0) return fail("control_buffers is 0; it must be at least 1");
  if (options.send_buffers == 0) return fail("send_buffers is 0; it must be at least 1");
  if (options.peers == 0) return fail("peers is 0; it must be at least 1");
  return {};
}

Error lost_because(std::string_view what, std::string cause) {
  return with_cause(fail("the RDMA adapter lost a datagram that it should {}", what), std::move(cause)).error();
}

}  // namespace

struct VerbsWire::State {
  /// A peer with an address handle.
  struct Peer {
    std::unique_ptr<UdPeer> handle;
    std::uint32_t data_queue = 0;
    std::uint32_t control_queue = 0;
    std::uint64_t last_send = 0;
  };

  State(const VerbsOptions& chosen, UdResolver asked, std::unique_ptr<UdPort> opened)
      : options(chosen),
        resolve(std::move(asked)),
        datagram_bytes(std::min<std::size_t>(chosen.datagram_bytes, opened->datagram_bytes())),
        receives(chosen.receive_buffers + chosen.control_buffers),
        // A peer may send as much as the MTU, whatever this process sends.
        buffers(receives + chosen.send_buffers, grh_bytes + opened->datagram_bytes()),
        port(std::move(opened)),
        connections(port->connections(resolve)),
        ring(chosen.send_buffers, signal_interval(chosen.send_buffers, chosen.peers)),
        peers(chosen.peers),
        unposted(receives) {
    for (std::uint32_t buffer = 0; buffer < receives; ++buffer) unposted.push(buffer);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { port->stop(); }  // before the address handles and the memory that it uses

  [[nodiscard]] bool room_for(Rank peer) const;
  Peer* peer(Rank rank);
  bool send(const Datagram& datagram);
  bool no_room();
  void collect_sent();

  void post_receives();
  bool poll_arrivals();
  void lose(std::uint64_t& counter, const Error& why);

  VerbsOptions options;
  UdResolver resolve;
  std::size_t datagram_bytes;
  std::uint32_t receives;  // buffers to receive into: first those for data, then those for control packets
  Buffers buffers;         // those, then those to send from
  std::unique_ptr<UdPort> port;
  std::unique_ptr<RcConnections> connections;
  SendRing ring;
  PeerCache<Peer> peers;
  transport::IdQueue unposted;  // buffers to receive into that the adapter does not have

  std::array<UdCompletion, 32> completions{};
  std::span<const UdCompletion> arrived;  // of these, what is not taken yet

  VerbsStatistics statistics;
  std::optional<Error> problem;
  bool stalled = false;  // there was no room the last time
};

void VerbsWire::State::lose(std::uint64_t& counter, const Error& why) {
  ++counter;
  if (!problem) problem = why;
}

// ---- Out

/// An address handle has to stay until what was sent with it is completed.
bool VerbsWire::State::room_for(Rank peer) const {
  if (ring.full()) return false;
  return !peers.full() || peers.knows(peer) || ring.done(peers.oldest().last_send);
}

/// Makes an address handle; nullptr if the peer's address is not known or there is no route to it. There is room.
VerbsWire::State::Peer* VerbsWire::State::peer(Rank rank) {
  if (Peer* known = peers.use(rank)) return known;
  const auto address = resolve(rank);
  auto handle = address ? port->reach(*address) : Failure(address.error());
  if (handle) return &peers.keep(rank, {std::move(*handle), address->data_queue, address->control_queue});
  lose(statistics.unresolved, handle.error());
  return nullptr;
}

bool VerbsWire::State::no_room() {
  ++statistics.no_room;
  stalled = true;
  return false;
}

bool VerbsWire::State::send(const Datagram& datagram) {
  stalled = false;
  if (!room_for(datagram.to)) collect_sent();
  if (!room_for(datagram.to)) return no_room();
  Peer* const to = peer(datagram.to);
  if (!to) return true;
  const SendRing::Send next = ring.next();
  const auto memory = buffers[receives + next.slot];
  std::ranges::copy(datagram.payload, std::ranges::copy(datagram.header, memory.begin()).out);
  const int code = port->post_send({.to = to->handle.get(),
                                    .queue = datagram.control ? to->control_queue : to->data_queue,
                                    .bytes = memory.first(datagram.header.size() + datagram.payload.size()),
                                    .id = next.number,
                                    .signalled = next.signalled});
  if (code == ENOMEM) return no_room();
  if (code != 0) {
    lose(statistics.refused, lost_because("send", std::generic_category().message(code)));
    return true;
  }
  ring.post();
  to->last_send = next.number;
  return true;
}

void VerbsWire::State::collect_sent() {
  std::array<UdCompletion, 32> sent;
  bool failed = false;
  while (const std::size_t count = port->poll_sent(sent)) {
    for (const UdCompletion& one : std::span(sent).first(count)) {
      ring.complete(one.id);
      if (!one.error) continue;
      lose(statistics.failed, lost_because("send", one.error));
      failed = true;
    }
  }
  if (failed) port->recover();
}

// ---- In

void VerbsWire::State::post_receives() {
  while (!unposted.empty()) {
    const std::uint32_t buffer = unposted.front();
    const UdQueue queue = buffer < options.receive_buffers ? UdQueue::data : UdQueue::control;
    if (port->post_receive(queue, buffers[buffer], buffer) != 0) return;
    unposted.pop();
  }
}

bool VerbsWire::State::poll_arrivals() {
  arrived = std::span(completions).first(port->poll_received(completions));
  return !arrived.empty();
}

std::size_t VerbsWire::poll(std::size_t max_datagrams, const std::function<void(std::span<const std::byte>)>& take) {
  State& state = *state_;
  state.collect_sent();
  std::size_t taken = 0;
  while (taken < max_datagrams && (!state.arrived.empty() || state.poll_arrivals())) {
    const UdCompletion one = state.arrived.front();
    state.arrived = state.arrived.subspan(1);
    if (one.error) {
      // Its buffer is not posted again: a queue pair that fails to receive is dead and would fail at once.
      state.lose(state.statistics.failed, lost_because("receive", one.error));
      continue;
    }
    const auto buffer = static_cast<std::uint32_t>(one.id);
    if (one.bytes > grh_bytes) {
      take(state.buffers[buffer].first(one.bytes).subspan(grh_bytes));
      ++taken;
    }
    state.unposted.push(buffer);
    state.post_receives();
  }
  return taken;
}

// ---- The wire

Result<std::unique_ptr<VerbsWire>> VerbsWire::make(const VerbsOptions& options, UdResolver resolve) {
  if (auto good = check(options); !good) return Failure(good.error());
  auto port = VerbsPort::open(options);
  if (!port) return Failure(port.error());
  return make(options, std::move(resolve), std::move(*port));
}

Result<std::unique_ptr<VerbsWire>> VerbsWire::make(const VerbsOptions& options, UdResolver resolve,
                                                   std::unique_ptr<UdPort> port) {
  if (auto good = check(options); !good) return Failure(good.error());
  auto state = std::make_unique<State>(options, std::move(resolve), std::move(port));
  if (auto good = state->port->use(state->buffers.memory()); !good) return Failure(good.error());
  state->post_receives();
  return std::unique_ptr<VerbsWire>(new VerbsWire(std::move(state)));
}

VerbsWire::VerbsWire(std::unique_ptr<State> state) : state_(std::move(state)) {}
VerbsWire::~VerbsWire() = default;

UdAddress VerbsWire::address() const { return state_->port->address(); }

transport::Rdma* VerbsWire::rdma() { return state_->connections.get(); }

std::size_t VerbsWire::datagram_bytes() const { return state_->datagram_bytes; }

bool VerbsWire::send(const Datagram& datagram) { return state_->send(datagram); }

/// Datagrams that arrived before the event was asked for raise no event: they are polled for afterwards.
Duration VerbsWire::prepare_to_sleep(Duration timeout) {
  state_->port->ask_for_event();
  if (state_->connections && state_->connections->ask_for_event()) return Duration::zero();
  if (!state_->arrived.empty() || state_->poll_arrivals()) return Duration::zero();
  return state_->stalled || !state_->unposted.empty() ? std::min(timeout, retry_after) : timeout;
}

void VerbsWire::woken() { state_->port->take_events(); }

void VerbsWire::add_descriptors(std::vector<pollfd>& polled) const {
  polled.push_back({state_->port->descriptor(), POLLIN, 0});
}

const VerbsStatistics& VerbsWire::statistics() const { return state_->statistics; }
const std::optional<Error>& VerbsWire::problem() const { return state_->problem; }

}  // namespace ayatori::wires
