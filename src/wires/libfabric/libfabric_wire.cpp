#include "ayatori/libfabric/libfabric_wire.hpp"

#include <rdma/fi_errno.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "ayatori/bounded/buffers.hpp"
#include "ayatori/bounded/peer_cache.hpp"
#include "fabric_endpoint.hpp"

namespace ayatori::wires {

using transport::Datagram;

namespace {

constexpr std::uint32_t least_datagram = 192;

/// How long a sleep lasts after the provider had no room, or if it can't wake this process.
constexpr Duration retry_after = std::chrono::microseconds(100);

bool no_room_now(ssize_t code) { return code == -FI_EAGAIN || code == -FI_ENOBUFS || code == -FI_ENOMEM; }

Result<> check(const LibfabricOptions& options) {
  if (options.datagram_bytes < least_datagram) {
    return fail("datagram_bytes is {}; it must be at least {}", options.datagram_bytes, least_datagram);
  }
  if (options.receive_buffers == 0) return fail("receive_buffers is 0; it must be at least 1");
  if (options.send_buffers == 0) return fail("send_buffers is 0; it must be at least 1");
  if (options.peers == 0) return fail("peers is 0; it must be at least 1");
  return options.resolve ? Result<>{} : check(options.addresses);
}

FabricResolver by_rule(const UdpAddresses& addresses) {
  return [addresses](Rank rank) -> Result<FabricAddress> {
    const sockaddr_in address = addresses.of(rank);
    const auto bytes = std::as_bytes(std::span(&address, 1));
    return FabricAddress(bytes.begin(), bytes.end());
  };
}

}  // namespace

struct LibfabricWire::State {
  /// An entry of the address vector.
  struct Peer {
    fi_addr_t address = FI_ADDR_NOTAVAIL;
    std::uint32_t under_way = 0;  // sends that its address is needed for
  };

  /// Buffers of one direction. The provider says by a context which of them it is done with.
  struct Side {
    Side(std::uint32_t count, std::size_t bytes) : buffers(count, bytes), contexts(count), idle(count) {
      for (std::uint32_t i = 0; i < count; ++i) idle.push(i);
    }
    [[nodiscard]] std::uint32_t index_of(const void* context) const {
      return static_cast<std::uint32_t>(static_cast<const fi_context2*>(context) - contexts.data());
    }
    [[nodiscard]] void* descriptor() const { return region ? fi_mr_desc(region.get()) : nullptr; }

    Buffers buffers;
    std::vector<fi_context2> contexts;
    transport::IdQueue idle;  // the buffers that the provider does not have
    FabricObject<fid_mr> region;
  };

  State(LibfabricOptions chosen, FabricEndpoint opened)
      : options(std::move(chosen)),
        fabric(std::move(opened)),
        prefix(fabric.prefix_bytes()),
        datagram_bytes(std::min<std::size_t>(options.datagram_bytes, fabric.datagram_bytes())),
        out(options.send_buffers, prefix + datagram_bytes),
        in(options.receive_buffers, prefix + datagram_bytes),
        receivers(options.send_buffers),
        peers(options.peers) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { fabric.endpoint.reset(); }  // before the memory that it reads and writes

  Result<> register_memory();

  [[nodiscard]] bool room_for(Rank peer) const;
  Peer* peer(Rank rank);
  Peer* insert(Rank rank, const FabricAddress& address);
  bool send(const Datagram& datagram);
  bool post(std::uint32_t buffer, Peer& to, std::size_t bytes);
  bool no_room();
  void collect_sent();

  void post_receives();
  void read_receive_error();
  void lose(std::uint64_t& counter, const Error& why);

  LibfabricOptions options;
  FabricAddress address;
  FabricEndpoint fabric;
  std::size_t prefix;
  std::size_t datagram_bytes;
  Side out;
  Side in;
  std::vector<Peer*> receivers;  // of what is in each send buffer
  PeerCache<Peer> peers;
  LibfabricStatistics statistics;
  std::optional<Error> problem;
  bool stalled = false;  // there was no room the last time
};

Result<> LibfabricWire::State::register_memory() {
  for (Side* side : {&out, &in}) {
    auto region = fabric.registered(side->buffers.memory());
    if (!region) return Failure(region.error());
    side->region = std::move(*region);
  }
  return {};
}

void LibfabricWire::State::lose(std::uint64_t& counter, const Error& why) {
  ++counter;
  if (!problem) problem = why;
}

// ---- Peers

/// An address may not be removed while something is sent to it (fi_av(3)).
bool LibfabricWire::State::room_for(Rank peer) const {
  return !peers.full() || peers.knows(peer) || peers.oldest().under_way == 0;
}

/// Adds a peer to the address vector, where there is room; nullptr if its address is not known.
LibfabricWire::State::Peer* LibfabricWire::State::peer(Rank rank) {
  if (Peer* known = peers.use(rank)) return known;
  auto address_there = options.resolve(rank);
  if (address_there) return insert(rank, *address_there);
  lose(statistics.unresolved, address_there.error());
  return nullptr;
}

LibfabricWire::State::Peer* LibfabricWire::State::insert(Rank rank, const FabricAddress& address_there) {
  if (peers.full()) {
    fi_addr_t oldest = peers.oldest().address;
    peers.forget_oldest();
    fi_av_remove(fabric.peers.get(), &oldest, 1, 0);
  }
  Peer added;
  const int inserted = fi_av_insert(fabric.peers.get(), address_there.data(), 1, &added.address, 0, nullptr);
  if (inserted == 1) return &peers.keep(rank, added);
  lose(statistics.unresolved,
       refused_by(options.provider, "fi_av_insert", inserted < 0 ? inserted : -FI_EINVAL).error());
  return nullptr;
}

// ---- Out

bool LibfabricWire::State::no_room() {
  ++statistics.no_room;
  stalled = true;
  return false;
}

bool LibfabricWire::State::send(const Datagram& datagram) {
  stalled = false;
  if (out.idle.empty() || !room_for(datagram.to)) collect_sent();
  if (out.idle.empty() || !room_for(datagram.to)) return no_room();
  Peer* const to = peer(datagram.to);
  if (!to) return true;
  const std::uint32_t buffer = out.idle.front();
  const auto memory = out.buffers[buffer].subspan(prefix);
  std::ranges::copy(datagram.payload, std::ranges::copy(datagram.header, memory.begin()).out);
  return post(buffer, *to, prefix + datagram.header.size() + datagram.payload.size());
}

bool LibfabricWire::State::post(std::uint32_t buffer, Peer& to, std::size_t bytes) {
  const ssize_t code = fi_send(fabric.endpoint.get(), out.buffers[buffer].data(), bytes, out.descriptor(), to.address,
                               &out.contexts[buffer]);
  if (no_room_now(code)) return no_room();
  if (code != 0) {
    lose(statistics.refused, refused_by(options.provider, "fi_send", code).error());
    return true;
  }
  out.idle.remove(buffer);
  receivers[buffer] = &to;
  ++to.under_way;
  return true;
}

void LibfabricWire::State::collect_sent() {
  const auto done = [&](const void* context) {
    const std::uint32_t buffer = out.index_of(context);
    --receivers[buffer]->under_way;
    out.idle.push(buffer);
  };
  std::array<fi_cq_entry, 32> entries;
  while (true) {
    const ssize_t count = fi_cq_read(fabric.sent.get(), entries.data(), entries.size());
    for (ssize_t i = 0; i < count; ++i) done(entries[i].op_context);
    if (count > 0) continue;
    fi_cq_err_entry error{};
    if (count != -FI_EAVAIL || fi_cq_readerr(fabric.sent.get(), &error, 0) != 1) return;
    lose(statistics.failed, refused_by(options.provider, "to complete fi_send", error.err).error());
    done(error.op_context);
  }
}

// ---- In

void LibfabricWire::State::post_receives() {
  while (!in.idle.empty()) {
    const std::uint32_t buffer = in.idle.front();
    const auto memory = in.buffers[buffer];
    if (fi_recv(fabric.endpoint.get(), memory.data(), memory.size(), in.descriptor(), FI_ADDR_UNSPEC,
                &in.contexts[buffer]) != 0) {
      return;
    }
    in.idle.pop();
  }
}

void LibfabricWire::State::read_receive_error() {
  fi_cq_err_entry error{};
  if (fi_cq_readerr(fabric.received.get(), &error, 0) != 1) return;
  lose(statistics.failed, refused_by(options.provider, "to complete fi_recv", error.err).error());
  if (error.op_context) in.idle.push(in.index_of(error.op_context));
}

std::size_t LibfabricWire::poll(std::size_t max_datagrams,
                                const std::function<void(std::span<const std::byte>)>& take) {
  State& state = *state_;
  std::array<fi_cq_msg_entry, 16> entries;
  std::size_t taken = 0;
  while (taken < max_datagrams) {
    state.post_receives();
    const std::size_t wanted = std::min(entries.size(), max_datagrams - taken);
    const ssize_t count = fi_cq_read(state.fabric.received.get(), entries.data(), wanted);
    if (count == -FI_EAVAIL) state.read_receive_error();
    if (count <= 0 && count != -FI_EAVAIL) break;
    for (ssize_t i = 0; i < count; ++i) {
      const std::uint32_t buffer = state.in.index_of(entries[i].op_context);
      state.in.idle.push(buffer);
      // Packets between the providers themselves have nothing after the prefix (fi_getinfo(3)).
      if (entries[i].len <= state.prefix) continue;
      take(state.in.buffers[buffer].first(entries[i].len).subspan(state.prefix));
      ++taken;
    }
  }
  return taken;
}

// ---- The wire

Result<std::unique_ptr<LibfabricWire>> LibfabricWire::make(const LibfabricOptions& options) {
  if (auto good = check(options); !good) return Failure(good.error());
  auto interrupt_event = make_interrupt_event();
  if (!interrupt_event) return Failure(interrupt_event.error());
  auto opened = FabricEndpoint::open(options);
  if (!opened) return Failure(opened.error());
  auto own = opened->address();
  if (!own) return Failure(own.error());
  auto state = std::make_unique<State>(options, std::move(*opened));
  state->address = std::move(*own);
  if (!options.resolve) state->options.resolve = by_rule(options.addresses);
  if (auto good = state->register_memory(); !good) return Failure(good.error());
  state->post_receives();
  return std::unique_ptr<LibfabricWire>(new LibfabricWire(std::move(*interrupt_event), std::move(state)));
}

LibfabricWire::LibfabricWire(Descriptor interrupt_event, std::unique_ptr<State> state)
    : PollableWire(std::move(interrupt_event)), state_(std::move(state)) {}
LibfabricWire::~LibfabricWire() = default;

const FabricAddress& LibfabricWire::address() const { return state_->address; }

std::size_t LibfabricWire::datagram_bytes() const { return state_->datagram_bytes; }

bool LibfabricWire::send(const Datagram& datagram) { return state_->send(datagram); }

/// Without fi_trywait(3) the descriptor might not become ready for what has arrived already.
Duration LibfabricWire::prepare_to_sleep(Duration timeout) {
  state_->post_receives();
  if (state_->stalled || !state_->in.idle.empty()) return std::min(timeout, retry_after);
  if (state_->fabric.received_descriptor < 0) return std::min(timeout, retry_after);
  fid* queue = &state_->fabric.received->fid;
  return fi_trywait(state_->fabric.fabric.get(), &queue, 1) == FI_SUCCESS ? timeout : Duration::zero();
}

void LibfabricWire::add_descriptors(std::vector<pollfd>& polled) const {
  if (state_->fabric.received_descriptor >= 0) polled.push_back({state_->fabric.received_descriptor, POLLIN, 0});
}

const LibfabricStatistics& LibfabricWire::statistics() const { return state_->statistics; }
const std::optional<Error>& LibfabricWire::problem() const { return state_->problem; }

}  // namespace ayatori::wires
