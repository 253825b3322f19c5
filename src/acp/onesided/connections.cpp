#include "connections.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "core.hpp"

namespace ayatori::onesided {

using transport::RdmaCompletion;
using transport::RdmaEnd;
using transport::RdmaKeys;
using transport::RdmaRequest;
using transport::Region;

namespace {

/// Regions of a peer whose keys a connection keeps: more replace each other.
constexpr std::size_t max_grants = 16;

/// How long a peer that has refused a connection is not asked for another one.
constexpr Duration refusal_holds = std::chrono::seconds(1);

constexpr std::uint64_t atomics_bit = std::uint64_t{1} << 32;

std::uint64_t packed(const RdmaEnd& end) {
  return end.queue | std::uint64_t{end.first_packet} << 24 | std::uint64_t{end.mtu} << 48 |
         std::uint64_t{end.reads} << 56;
}

RdmaEnd unpacked(std::uint64_t word) {
  return {.queue = static_cast<std::uint32_t>(word & 0xFF'FFFF),
          .first_packet = static_cast<std::uint32_t>(word >> 24 & 0xFF'FFFF),
          .mtu = static_cast<std::uint8_t>(word >> 48),
          .reads = static_cast<std::uint8_t>(word >> 56)};
}

/// What a call is about, from its token: a peer's connection as a whole, or one of its grants.
constexpr std::uint32_t whole = 0xFF;
constexpr std::uint64_t number_for(Rank peer, std::uint64_t part, std::uint32_t opening) {
  return std::uint64_t{opening & 0xFFFF} << 40 | part << 32 | peer;
}

}  // namespace

Connections::Connections(Core& core, const Settings& settings)
    : core_(core), rdma_(settings.rdma), max_connections_(settings.connections) {
  if (max_connections_ == 0 || (rdma_ && !rdma_->make_room(max_connections_))) rdma_ = nullptr;
  if (!rdma_) return;
  core_.memory.use(rdma_);
  const auto atomics = rdma_->atomics();
  allow_atomics_ = atomics == transport::Rdma::Atomics::with_processor ||
                   (atomics == transport::Rdma::Atomics::among_themselves && settings.adapter_atomics);
}

// ---- As initiator: the connection

/// The connection to a peer, if it can be used now. It is asked for otherwise, if there may be another one.
Connections::Connection* Connections::open_to(Rank peer) {
  const auto found = connections_.find(peer);
  if (found == connections_.end()) {
    ask_to_connect(peer);
    return nullptr;
  }
  Connection& connection = found->second;
  if (connection.state == Connection::State::refused && core_.now >= connection.not_before) {
    connections_.erase(found);
    ask_to_connect(peer);
    return nullptr;
  }
  return connection.state == Connection::State::open ? &connection : nullptr;
}

void Connections::ask_to_connect(Rank peer) {
  if (peer == core_.self) return;
  if (connections_.size() >= max_connections_) {
    const auto useless = std::ranges::find_if(
        connections_, [](const auto& one) { return one.second.state == Connection::State::refused; });
    if (useless == connections_.end()) return;
    connections_.erase(useless);
  }
  const auto own = rdma_->open(peer);
  if (!own) return;
  const Call call{.kind = CallKind::connect, .words = {packed(*own)}};
  if (core_.call(peer, call, token_of(Purpose::connection, number_for(peer, whole, ++openings_)))) {
    connections_[peer].opening = openings_;
  } else {
    rdma_->close(peer);
  }
}

/// Where the adapter failed it may fail again, so the next connection to that peer waits.
void Connections::close(Rank peer, bool failed) {
  for (const Token token : rdma_->close(peer)) {
    ended_.push_back({.token = token, .how = failed ? Ended::How::unknown : Ended::How::undone});
  }
  connections_.erase(peer);
  if (!failed) return;
  Connection& useless = connections_[peer];
  useless.state = Connection::State::refused;
  useless.not_before = core_.now + refusal_holds;
}

std::vector<Token> Connections::lost(Rank peer) {
  if (!rdma_) return {};
  std::erase(accepted_, peer);
  rdma_->forget(peer);
  connections_.erase(peer);
  return rdma_->close(peer);
}

void Connections::answered(std::uint64_t number, const Answer& answer) {
  const auto peer = static_cast<Rank>(number);
  const auto part = static_cast<std::uint32_t>(number >> 32 & 0xFF);
  const auto found = connections_.find(peer);
  if (found == connections_.end() || (found->second.opening & 0xFFFF) != number >> 40) return;
  Connection& connection = found->second;
  const bool good = answer.status == Status::done;
  if (part == whole) {
    const bool connected = good && rdma_->connect(peer, unpacked(answer.value));
    connection.state = connected ? Connection::State::open : Connection::State::refused;
    connection.not_before = core_.now + refusal_holds;
    if (!connected) rdma_->close(peer);
    return;
  }
  Grant& grant = connection.grants.at(part);
  grant.asking = false;
  grant.usable = good;
  grant.key = static_cast<std::uint32_t>(answer.value);
  grant.atomics = (answer.value & atomics_bit) != 0;
}

// ---- As initiator: operations

/// What a peer has granted of a region; it is asked for otherwise.
const Connections::Grant* Connections::granted(Rank peer, Connection& connection, std::uint64_t region) {
  const auto known = std::ranges::find(connection.grants, region, &Grant::region);
  if (known != connection.grants.end()) return known->usable ? &*known : nullptr;
  std::size_t place = connection.grants.size();
  if (place == max_grants) {
    place = connection.next_grant++ % max_grants;
    if (connection.grants[place].asking) return nullptr;
  }
  const Call call{.kind = CallKind::grant, .words = {region}};
  if (!core_.call(peer, call, token_of(Purpose::connection, number_for(peer, place, connection.opening)))) {
    return nullptr;
  }
  if (place == connection.grants.size()) connection.grants.emplace_back();
  connection.grants[place] = {.region = region, .asking = true};
  return nullptr;
}

bool Connections::begin(const Transfer& transfer, const Region& region, Token token) {
  if (!rdma_ || transfer.size > transport::Rdma::max_bytes) return false;
  const Rank peer = transfer.remote.rank;
  Connection* const connection = open_to(peer);
  const Grant* const grant = connection ? granted(peer, *connection, region.key) : nullptr;
  const auto own = grant ? core_.memory.keys(transfer.local_region) : std::nullopt;
  if (!own) return false;
  ++connection->under_way;
  rdma_->start(peer, {.kind = transfer.put ? RdmaRequest::Kind::write : RdmaRequest::Kind::read,
                      .local = {transfer.local, transfer.size},
                      .local_key = own->local,
                      .remote = region.base + transfer.remote.offset,
                      .remote_key = grant->key,
                      .token = token});
  return true;
}

bool Connections::begin(const Call& atomic, const Location& word, Token token) {
  const bool add = atomic.kind == CallKind::add;
  if (!rdma_ || atomic.size != sizeof(std::uint64_t) || (!add && atomic.kind != CallKind::compare_swap)) return false;
  Connection* const connection = open_to(word.rank);
  if (!connection) return false;
  const auto region = core_.transfers.known(core_.now, *core_.endpoint, {word.rank, word.region});
  const Grant* const grant = region ? granted(word.rank, *connection, region->key) : nullptr;
  if (!grant || !grant->atomics) return false;
  const std::uint64_t at = region->base + word.offset;
  // Where it is not so, the peer says what is wrong.
  if (at % atomic.size != 0 || word.offset > region->size || atomic.size > region->size - word.offset) return false;
  ++connection->under_way;
  rdma_->start(word.rank, {.kind = add ? RdmaRequest::Kind::add : RdmaRequest::Kind::compare_swap,
                           .remote = at,
                           .remote_key = grant->key,
                           .operand = atomic.words[1],
                           .expected = atomic.words[2],
                           .token = token});
  return true;
}

namespace {

Connections::Ended::How how_ended(RdmaCompletion::Outcome outcome) {
  switch (outcome) {
    case RdmaCompletion::Outcome::done:
      return Connections::Ended::How::done;
    case RdmaCompletion::Outcome::refused:
      return Connections::Ended::How::refused;
    case RdmaCompletion::Outcome::unanswered:
      return Connections::Ended::How::undone;
    case RdmaCompletion::Outcome::broken:
      return Connections::Ended::How::unknown;
  }
  return Connections::Ended::How::unknown;
}

}  // namespace

const std::vector<Connections::Ended>& Connections::collect() {
  ended_.clear();
  if (!rdma_) return ended_;
  while (const auto one = rdma_->poll()) {
    const auto connection = connections_.find(one->peer);
    if (connection != connections_.end()) --connection->second.under_way;
    const auto how = how_ended(one->outcome);
    ended_.push_back({one->token, how, one->value});
    if (how != Ended::How::done) close(one->peer, how == Ended::How::unknown);
  }
  return ended_;
}

// ---- As target

Answer Connections::accept(Rank from, const Call& call) {
  const RdmaEnd other = unpacked(call.words[0]);
  const bool again = std::ranges::count(accepted_, from) > 0;
  if (!rdma_ || (!again && accepted_.size() >= max_connections_)) return {.status = Status::refused};
  const auto own = rdma_->accept(from, other);
  if (!own) return {.status = Status::refused};
  if (!again) accepted_.push_back(from);
  return {.value = packed(*own)};
}

Answer Connections::grant(const Call& call) {
  const std::uint32_t region = transport::index_of(call.words[0]);
  const auto keys = rdma_ && core_.memory.has(call.words[0]) ? core_.memory.keys(region) : std::nullopt;
  if (!keys) return {.status = Status::refused};
  atomics_granted_ = atomics_granted_ || allow_atomics_;
  return {.value = keys->remote | (allow_atomics_ ? atomics_bit : 0)};
}

/// All kinds of atomics, of 4 bytes, too, by comparing and swapping the 8 bytes that they are in. No adapter changes
/// words that are in no region.
std::optional<std::uint64_t> Connections::apply(const Call& atomic, std::byte* at) {
  const bool by_processor = !atomics_granted_ || rdma_->atomics() == transport::Rdma::Atomics::with_processor;
  if (by_processor) return apply_atomic(atomic, at);
  std::byte* const word = at - reinterpret_cast<std::uintptr_t>(at) % sizeof(std::uint64_t);
  const auto keys = core_.memory.keys_of({word, sizeof(std::uint64_t)});
  if (!keys) return apply_atomic(atomic, at);
  std::uint64_t seen = std::atomic_ref(*reinterpret_cast<std::uint64_t*>(word)).load();
  for (;;) {
    std::uint64_t changed = seen;
    const std::uint64_t before = apply_atomic(atomic, reinterpret_cast<std::byte*>(&changed) + (at - word));
    const auto found = rdma_->compare_swap_here(word, *keys, seen, changed);
    if (!found) return std::nullopt;
    if (*found == seen) return before;
    seen = *found;
  }
}

}  // namespace ayatori::onesided
