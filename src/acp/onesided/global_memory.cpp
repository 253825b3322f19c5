#include "ayatori/onesided/global_memory.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <utility>

#include "barrier.hpp"
#include "channels.hpp"
#include "delegations.hpp"
#include "operations.hpp"

namespace ayatori::onesided {

using transport::Endpoint;
using transport::OperationResult;
using transport::PeerId;
using transport::RemoteRange;
using transport::Urgency;

namespace {

/// How often a peer that is waited for is asked whether it lives.
constexpr Duration watch_interval = std::chrono::seconds(1);

/// Calls that arrive before earlier ones of their flow are kept: so many, in blocks of this size.
constexpr std::size_t early_calls = 256;
constexpr std::size_t block_bytes = 64;

constexpr std::array atomic_kinds = {CallKind::swap,         CallKind::add,         CallKind::exclusive_or,
                                     CallKind::inclusive_or, CallKind::conjunction, CallKind::compare_swap};

Call call_of(const AtomicOperation& asked) {
  return {.kind = atomic_kinds[static_cast<std::size_t>(asked.kind)],
          .size = asked.size,
          .words = {asked.src, asked.operand, asked.expected}};
}

bool aligned(const std::byte* at, Bytes size) { return std::bit_cast<std::uintptr_t>(at) % size == 0; }

}  // namespace

struct GlobalMemory::State final : transport::Application {
  explicit State(const Settings& settings)
      : core(settings),
        operations(core, settings.operations),
        delegations(core, settings.delegated),
        barrier(core.self, settings.procs),
        channels(core, settings.channels),
        blocks(early_calls) {
    for (auto& block : blocks) free_blocks.push_back(block.data());
  }

  // ---- Called by the endpoint

  std::byte* reserve(PeerId, Bytes size, Urgency urgency) override {
    const std::size_t kept = urgency == Urgency::early ? early_calls / 2 : 0;
    if (size > block_bytes || free_blocks.size() <= kept) return nullptr;
    std::byte* block = free_blocks.back();
    free_blocks.pop_back();
    return block;
  }
  void release(std::byte* block) override { free_blocks.push_back(block); }

  /// No process sends messages: everything is calls, puts and gets, and notices of barriers.
  void deliver(PeerId from, std::span<const std::byte> bytes, std::byte* block) override {
    if (const auto call = decode_call(bytes)) take_notice(from, *call);
    if (block) release(block);
  }

  OperationResult operate(PeerId from, std::span<const std::byte> request) override {
    core.endpoint_reported = true;
    const auto call = decode_call(request);
    return encode(call ? carry_out(from, *call) : Answer{.status = Status::refused});
  }

  bool write(PeerId from, const RemoteRange& range, std::span<const std::byte> bytes) override {
    std::byte* at = core.memory.find(range);
    if (!at) at = channels.find(from, range);
    if (at) store(at, bytes.data(), bytes.size());
    return at != nullptr;
  }
  std::optional<std::span<const std::byte>> read(PeerId, const RemoteRange& range) override {
    return core.memory.read(range);
  }

  void room() override { core.endpoint_reported = true; }
  void returned(Token token, std::span<const std::byte> result) override;
  void completed(Token token) override;
  void refused(Token token) override;
  void failed(Token token) override;
  void lost(PeerId peer, Time since) override;

  [[nodiscard]] Answer carry_out(PeerId from, const Call& call);
  void take_notice(PeerId from, const Call& call);
  [[nodiscard]] bool signal_arrival(Rank to, std::uint64_t place, std::uint64_t number);
  void end_by_adapter(const Connections::Ended& ended);
  void make_progress(Time now);
  void watch();
  template <typename Visit>
  void visit_awaited(Visit visit) const;

  Core core;
  Operations operations;
  Delegations delegations;
  Barrier barrier;
  Channels channels;
  std::vector<std::array<std::byte, block_bytes>> blocks;
  std::vector<std::byte*> free_blocks;
  Time next_watch = never;
  bool last_barrier = false;
  std::uint32_t watches = 0;  // calls of watch() that are not answered yet
  std::optional<Error> loss;
  std::optional<Endpoint> endpoint;  // last member: its destructor releases blocks
};

// ---- Calls of peers

Answer GlobalMemory::State::carry_out(PeerId from, const Call& call) {
  if (is_atomic(call.kind) || call.kind == CallKind::write) {
    const auto location = core.space.find(call.words[0]);
    std::byte* at = location ? core.memory.find(*location, call.size) : nullptr;
    if (!at || (is_atomic(call.kind) && !aligned(at, call.size))) return {.status = Status::refused};
    if (is_atomic(call.kind)) {
      const auto before = core.connections.apply(call, at);
      return {.status = before ? Status::done : Status::refused, .value = before.value_or(0)};
    }
    store(at, reinterpret_cast<const std::byte*>(&call.words[1]), call.size);
    return {};
  }
  switch (call.kind) {
    case CallKind::copy:
      return delegations.accept(from, call);
    case CallKind::copied:
      operations.copied(from, call.words[0], static_cast<Status>(call.words[1]));
      return {};
    case CallKind::arrive:
      barrier.arrived(call.words[0], call.words[1]);
      return {};
    case CallKind::alive:
      return {};
    case CallKind::connect:
      return core.connections.accept(from, call);
    case CallKind::grant:
      return core.connections.grant(call);
    default:
      return channels.on_call(from, call);
  }
}

// ---- Notices of peers

void GlobalMemory::State::take_notice(PeerId from, const Call& call) {
  if (call.kind == CallKind::arrive) barrier.arrived(call.words[0], call.words[1]);
  if (call.kind == CallKind::ask_arrival && barrier.has_sent(call.words[0], call.words[1])) {
    (void)core.notify(from, {.kind = CallKind::arrive, .words = call.words});
  }
}

/// Nobody is there to be asked after the last barrier, so its arrivals are calls.
bool GlobalMemory::State::signal_arrival(Rank to, std::uint64_t place, std::uint64_t number) {
  const Call call{.kind = CallKind::arrive, .words = {place, number}};
  return last_barrier ? core.call(to, call, token_of(Purpose::barrier)) : core.notify(to, call);
}

// ---- Completions that the endpoint reports

void GlobalMemory::State::returned(Token token, std::span<const std::byte> result) {
  core.endpoint_reported = true;
  const Answer answer = decode_answer(result).value_or(Answer{.status = Status::refused});
  switch (purpose_of(token)) {
    case Purpose::operation:
      return operations.answered(number_of(token), answer);
    case Purpose::delegation:
      return delegations.signalled(number_of(token));
    case Purpose::watch:
      --watches;
      return;
    case Purpose::channel:
      return channels.answered(number_of(token), answer);
    case Purpose::connection:
      return core.connections.answered(number_of(token), answer);
    case Purpose::barrier:
    case Purpose::fetch:
      return;
  }
}

void GlobalMemory::State::completed(Token token) {
  core.endpoint_reported = true;
  if (core.transfers.fetch_completed(token)) return;
  if (purpose_of(token) == Purpose::operation) operations.transferred(number_of(token));
  if (purpose_of(token) == Purpose::delegation) delegations.transferred(number_of(token));
  if (purpose_of(token) == Purpose::channel) channels.transferred(number_of(token));
}

void GlobalMemory::State::refused(Token token) {
  core.endpoint_reported = true;
  if (core.transfers.fetch_failed(token, Fault::no_memory)) return;
  if (purpose_of(token) == Purpose::operation) operations.refused(number_of(token));
  if (purpose_of(token) == Purpose::delegation) delegations.refused(number_of(token));
  // A put of a channel is refused if the receive ended because the channel was closed, which the peer will report.
}

/// A call, put or get has failed because its peer is lost. lost() ends what the endpoint does not have.
void GlobalMemory::State::failed(Token token) {
  core.endpoint_reported = true;
  if (core.transfers.fetch_failed(token, Fault::lost)) return;
  if (purpose_of(token) == Purpose::operation) operations.failed(number_of(token));
  if (purpose_of(token) == Purpose::delegation) delegations.failed(number_of(token));
  if (purpose_of(token) == Purpose::watch) --watches;
}

void GlobalMemory::State::lost(PeerId peer, Time since) {
  core.endpoint_reported = true;
  core.lost.add(peer);
  core.transfers.forget(peer);
  for (const Token token : core.connections.lost(peer)) failed(token);
  operations.lost(peer);
  channels.lost(peer);
  if (loss) return;
  const std::chrono::duration<double> silence = core.now - since;
  loss = with_code(fail("rank {} is lost: nothing was heard of it for {:.1f} s", peer, silence.count()), EHOSTDOWN)
             .error();
}

/// An adapter has done it, or not.
void GlobalMemory::State::end_by_adapter(const Connections::Ended& ended) {
  core.endpoint_reported = true;
  const std::uint64_t number = number_of(ended.token);
  const bool delegated = purpose_of(ended.token) == Purpose::delegation;
  const bool atomic = !delegated && operations.is_atomic(number);
  switch (ended.how) {
    case Connections::Ended::How::done:
      return atomic ? operations.answered(number, {.value = ended.value}) : completed(ended.token);
    case Connections::Ended::How::refused:
      if (!atomic) return refused(ended.token);
      [[fallthrough]];
    case Connections::Ended::How::undone:
      return delegated ? delegations.undone(number) : operations.undone(number);
    case Connections::Ended::How::unknown:
      // Copies may be carried out again.
      if (atomic) return failed(ended.token);
      return delegated ? delegations.undone(number) : operations.undone(number);
  }
}

// ---- Progress

void GlobalMemory::State::make_progress(Time now) {
  core.now = now;
  for (const Connections::Ended& ended : core.connections.collect()) end_by_adapter(ended);
  operations.progress();
  delegations.progress();
  barrier.progress(
      now, [this](Rank rank, std::uint64_t place, std::uint64_t number) { return signal_arrival(rank, place, number); },
      [this](Rank rank, std::uint64_t place, std::uint64_t number) {
        (void)core.notify(rank, {.kind = CallKind::ask_arrival, .words = {place, number}});
      });
  channels.progress();
  watch();
  core.endpoint_reported = false;
}

template <typename Visit>
void GlobalMemory::State::visit_awaited(Visit visit) const {
  barrier.visit_awaited(visit);
  operations.visit_delegates(visit);
  core.connections.visit_awaited(visit);
  channels.visit_awaited(visit);
}

/// A process that waits for a peer and sends it nothing would not notice that the peer is lost.
void GlobalMemory::State::watch() {
  bool anybody = false;
  const bool due = core.now >= next_watch && watches == 0;
  visit_awaited([&](Rank rank) {
    anybody = true;
    if (due && core.call(rank, {.kind = CallKind::alive}, token_of(Purpose::watch))) ++watches;
  });
  if (!anybody) {
    next_watch = never;
  } else if (core.now >= next_watch || next_watch == never) {
    next_watch = core.now + watch_interval;  // also if calls are not answered: the endpoint has a deadline of its own
  }
}

// ---- The interface

namespace {

Result<> check(const Settings& settings) {
  if (settings.procs == 0 || settings.identity.self >= settings.procs) {
    return fail("there is no rank {} among {} processes", settings.identity.self, settings.procs);
  }
  if (!std::has_single_bit(settings.operations)) {
    return fail("operations is {}; it must be a power of two", settings.operations);
  }
  if (settings.delegated == 0) return fail("delegated is 0; it must be at least 1");
  if (settings.known_regions == 0) return fail("known_regions is 0; it must be at least 1");
  if (settings.channels > max_channel_ends) {
    return fail("channels is {}; it must be at most {}", settings.channels, max_channel_ends);
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<GlobalMemory>> GlobalMemory::make(const Settings& settings) {
  if (auto good = check(settings); !good) return Failure(good.error());
  auto state = std::make_unique<State>(settings);
  auto endpoint = Endpoint::make(settings.identity, settings.endpoint, *state);
  if (!endpoint) return Failure(endpoint.error());
  state->endpoint.emplace(std::move(*endpoint));
  state->core.endpoint = &*state->endpoint;
  return std::unique_ptr<GlobalMemory>(new GlobalMemory(std::move(state)));
}

GlobalMemory::GlobalMemory(std::unique_ptr<State> state) : state_(std::move(state)) {}
GlobalMemory::~GlobalMemory() = default;

const AddressSpace& GlobalMemory::space() const { return state_->core.space; }
Memory& GlobalMemory::memory() { return state_->core.memory; }
Endpoint& GlobalMemory::endpoint() { return *state_->endpoint; }

bool GlobalMemory::full() const { return state_->operations.full(); }
Handle GlobalMemory::latest() const { return state_->operations.latest(); }
bool GlobalMemory::completed(Handle handle) const { return state_->operations.completed(handle); }
std::optional<Error> GlobalMemory::take_failure(Handle handle) { return state_->operations.take_failure(handle); }

namespace {

/// The location of an address. Memory of this process must be registered; that of others is checked by them.
Result<Location> resolve(const Core& core, GlobalAddress address, Bytes size) {
  const auto location = core.space.find(address);
  if (!location) return with_code(fail("{:#x} is not a global address", address), EINVAL);
  if (location->rank == core.self && !core.memory.find(*location, size)) {
    return with_code(fail("the {} bytes from {:#x} on are not registered", size, address), EFAULT);
  }
  return *location;
}

}  // namespace

Result<Handle> GlobalMemory::copy(Time now, GlobalAddress dst, GlobalAddress src, Bytes size, Handle after) {
  const auto to = resolve(state_->core, dst, size);
  if (!to) return Failure(to.error());
  const auto from = resolve(state_->core, src, size);
  if (!from) return Failure(from.error());
  const Operation operation{.dst = *to, .src = *from, .size = size, .atomic = {.kind = CallKind::copy}};
  const Handle handle = state_->operations.add(operation, after);
  state_->make_progress(now);
  return handle;
}

std::optional<Handle> GlobalMemory::copy_directly(GlobalAddress dst, GlobalAddress src, Bytes size) {
  const auto to = state_->core.space.find(dst);
  const auto from = state_->core.space.find(src);
  if (!to || !from || size == 0) return std::nullopt;
  return state_->operations.copy_at_once(*to, *from, size);
}

std::optional<Handle> GlobalMemory::apply_directly(const AtomicOperation& asked) {
  const auto to = state_->core.space.find(asked.dst);
  const auto from = state_->core.space.find(asked.src);
  const bool is_aligned = asked.dst % asked.size == 0 && asked.src % asked.size == 0;
  if (!to || !from || !is_aligned || to->rank != state_->core.self) return std::nullopt;
  return state_->operations.apply_at_once(call_of(asked), *to, *from);
}

Result<Handle> GlobalMemory::apply(Time now, const AtomicOperation& asked, Handle after) {
  const auto to = resolve(state_->core, asked.dst, asked.size);
  if (!to) return Failure(to.error());
  const auto from = resolve(state_->core, asked.src, asked.size);
  if (!from) return Failure(from.error());
  if (to->rank != state_->core.self) {
    return with_code(
        fail("{:#x} belongs to rank {}: the result of an atomic must go to its caller", asked.dst, to->rank), EINVAL);
  }
  const auto misplaced = [&](const Location& place) {
    return place.rank == state_->core.self && !aligned(state_->core.memory.find(place, asked.size), asked.size);
  };
  if (asked.dst % asked.size != 0 || asked.src % asked.size != 0 || misplaced(*to) || misplaced(*from)) {
    return with_code(fail("{:#x} and {:#x} must be multiples of {}, and so must their addresses in memory", asked.dst,
                          asked.src, asked.size),
                     EINVAL);
  }
  const Handle handle =
      state_->operations.add({.dst = *to, .src = *from, .size = asked.size, .atomic = call_of(asked)}, after);
  state_->make_progress(now);
  return handle;
}

void GlobalMemory::start_barrier(Time now, bool last) {
  state_->last_barrier = last;
  state_->barrier.start();
  state_->make_progress(now);
}
bool GlobalMemory::barrier_done() const { return state_->barrier.done(); }

Result<ChannelId> GlobalMemory::open_channel(Time now, Rank sender, Rank receiver) {
  auto channel = state_->channels.open(sender, receiver);
  state_->make_progress(now);
  return channel;
}

Result<RequestId> GlobalMemory::send(Time now, ChannelId channel, const std::byte* bytes, Bytes size) {
  // Both kinds of requests have the same fields; the bytes of a send are only read.
  auto request = state_->channels.start(channel, true, const_cast<std::byte*>(bytes), size);  // NOLINT
  state_->make_progress(now);
  return request;
}

Result<RequestId> GlobalMemory::receive(Time now, ChannelId channel, std::byte* bytes, Bytes size) {
  auto request = state_->channels.start(channel, false, bytes, size);
  state_->make_progress(now);
  return request;
}

Result<RequestId> GlobalMemory::close_channel(Time now, ChannelId channel) {
  auto request = state_->channels.close(channel);
  state_->make_progress(now);
  return request;
}

bool GlobalMemory::request_done(RequestId request) const { return state_->channels.done(request); }
Result<Bytes> GlobalMemory::finish(RequestId request) { return state_->channels.finish(request); }

bool GlobalMemory::progress(Time now) {
  state_->make_progress(now);
  const bool transferred = state_->core.transfers.take_asked();
  return std::exchange(state_->core.asked, false) || transferred;
}

Time GlobalMemory::next_deadline() const {
  return std::min({state_->operations.next_deadline(), state_->barrier.next_deadline(), state_->next_watch});
}

bool GlobalMemory::idle() const {
  const State& state = *state_;
  return state.operations.completed(state.operations.latest()) && state.delegations.idle() && state.barrier.done() &&
         state.channels.idle();
}

const std::optional<Error>& GlobalMemory::loss() const { return state_->loss; }

}  // namespace ayatori::onesided
