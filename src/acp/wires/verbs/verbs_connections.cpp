#include "verbs_connections.hpp"

#include <algorithm>
#include <array>
#include <thread>

namespace ayatori::wires {

using transport::RdmaCompletion;
using transport::RdmaEnd;
using transport::RdmaKeys;
using transport::RdmaRequest;
using transport::Token;

namespace {

/// Operations of one connection that the adapter has; more wait here.
constexpr std::uint32_t at_once = 16;

/// The time until an adapter sends again is 4.096 us times two to the power of this: 17 ms. Shorter ones are not
/// allowed on some adapters.
constexpr std::uint8_t timeout = 12;

/// Everybody's memory is written and read, nothing is received, so no one is ever not ready to receive.
constexpr std::uint8_t receiver_not_ready_tries = 7;

/// A connection that has sent so often without any answer is broken: some ten seconds. The other end's adapter answers
/// nothing more after it has refused a request, and that answer may have been lost.
constexpr std::uint32_t max_tries_in_vain = 512;

constexpr std::uint32_t packet_numbers = 1U << 24;

constexpr int remote_access = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;

bool is_atomic(const RdmaRequest& request) {
  return request.kind == RdmaRequest::Kind::add || request.kind == RdmaRequest::Kind::compare_swap;
}

bool is_read(const RdmaRequest& request) { return request.kind == RdmaRequest::Kind::read; }

/// How many numbers of packets a request takes: those of its packets, of a read those of its answer.
std::uint32_t packets_of(const RdmaRequest& request, std::uint8_t mtu) {
  const std::size_t bytes = std::size_t{128} << mtu;
  return is_atomic(request) ? 1U : static_cast<std::uint32_t>((request.local.size() + bytes - 1) / bytes);
}

ibv_wr_opcode opcode_of(RdmaRequest::Kind kind) {
  switch (kind) {
    case RdmaRequest::Kind::read:
      return IBV_WR_RDMA_READ;
    case RdmaRequest::Kind::write:
      return IBV_WR_RDMA_WRITE;
    case RdmaRequest::Kind::add:
      return IBV_WR_ATOMIC_FETCH_AND_ADD;
    case RdmaRequest::Kind::compare_swap:
      return IBV_WR_ATOMIC_CMP_AND_SWP;
  }
  return IBV_WR_RDMA_READ;
}

bool post_request(ibv_qp& pair, const RdmaRequest& request, ibv_sge part) {
  ibv_send_wr wanted{};
  wanted.sg_list = &part;
  wanted.num_sge = 1;
  wanted.opcode = opcode_of(request.kind);
  wanted.send_flags = IBV_SEND_SIGNALED;
  if (is_atomic(request)) {
    const bool add = request.kind == RdmaRequest::Kind::add;
    wanted.wr.atomic = {.remote_addr = request.remote,
                        .compare_add = add ? request.operand : request.expected,
                        .swap = request.operand,
                        .rkey = request.remote_key};
  } else {
    wanted.wr.rdma = {.remote_addr = request.remote, .rkey = request.remote_key};
  }
  ibv_send_wr* refused_one = nullptr;
  return ibv_post_send(&pair, &wanted, &refused_one) == 0;
}

ibv_sge part_of(const std::byte* start, std::size_t bytes, std::uint32_t key) {
  return {reinterpret_cast<std::uintptr_t>(start), static_cast<std::uint32_t>(bytes), key};
}

/// The adapter returns what it has.
void stop(ibv_qp& pair) {
  ibv_qp_attr wanted{};
  wanted.qp_state = IBV_QPS_ERR;
  ibv_modify_qp(&pair, &wanted, IBV_QP_STATE);
}

/// The other end's memory has not this key. Other failures are the adapter's.
bool is_refusal(ibv_wc_status status) {
  return status == IBV_WC_REM_ACCESS_ERR || status == IBV_WC_REM_INV_REQ_ERR || status == IBV_WC_REM_OP_ERR;
}

}  // namespace

// ---- What all connections share

bool VerbsConnections::make_room(std::uint32_t connections) {
  ibv_device_attr limits{};
  if (ibv_query_device(port_.device, &limits) != 0) return false;
  atomics_ = limits.atomic_cap == IBV_ATOMIC_GLOB  ? Atomics::with_processor
             : limits.atomic_cap == IBV_ATOMIC_HCA ? Atomics::among_themselves
                                                   : Atomics::none;
  reads_ = static_cast<std::uint8_t>(
      std::clamp(std::min(limits.max_qp_rd_atom, limits.max_qp_init_rd_atom), 1, static_cast<int>(at_once)));
  completions_.reset(ibv_create_cq(port_.device, static_cast<int>(connections * at_once), nullptr, port_.events, 0));
  results_.assign(std::size_t{connections} * at_once + 1, 0);
  results_region_.reset(
      ibv_reg_mr(port_.domain, results_.data(), results_.size() * sizeof results_.front(), IBV_ACCESS_LOCAL_WRITE));
  for (std::uint32_t i = connections; i > 0; --i) free_results_.push_back((i - 1) * at_once);
  return completions_ && results_region_;
}

std::optional<RdmaKeys> VerbsConnections::add_memory(std::span<std::byte> memory) {
  VerbsObject<ibv_mr> region(
      ibv_reg_mr(port_.domain, memory.data(), memory.size(), IBV_ACCESS_LOCAL_WRITE | remote_access));
  if (!region) return std::nullopt;
  const RdmaKeys keys{region->lkey, region->rkey};
  regions_[keys.local] = std::move(region);
  return keys;
}

void VerbsConnections::remove_memory(const RdmaKeys& keys) { regions_.erase(keys.local); }

VerbsObject<ibv_qp> VerbsConnections::queue_pair(ibv_cq* completions) const {
  ibv_qp_init_attr wanted{};
  wanted.qp_type = IBV_QPT_RC;
  wanted.send_cq = wanted.recv_cq = completions;
  wanted.cap = {.max_send_wr = at_once, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1, .max_inline_data = 0};
  return VerbsObject<ibv_qp>(ibv_create_qp(port_.domain, &wanted));
}

/// Packets of an earlier connection between the same queue pairs should not fit this one.
RdmaEnd VerbsConnections::end_of(const ibv_qp& pair) {
  const std::uint32_t first = (pair.qp_num * 0x9e37U + ++ends_ * 0x5'2a35U) % packet_numbers;
  return {.queue = pair.qp_num, .first_packet = first, .mtu = port_.mtu, .reads = reads_};
}

/// From any state to RTS. The other end sends from its first packet on; this one begins with `first_packet`.
bool VerbsConnections::make_ready(ibv_qp& pair, const UdAddress& address, const RdmaEnd& other,
                                  std::uint32_t first_packet) const {
  ibv_qp_attr wanted{};
  wanted.qp_state = IBV_QPS_RESET;
  if (ibv_modify_qp(&pair, &wanted, IBV_QP_STATE) != 0) return false;
  wanted.qp_state = IBV_QPS_INIT;
  wanted.port_num = port_.number;
  wanted.qp_access_flags = remote_access;
  int what = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;
  if (ibv_modify_qp(&pair, &wanted, what) != 0) return false;
  wanted.qp_state = IBV_QPS_RTR;
  wanted.path_mtu = static_cast<ibv_mtu>(std::min(port_.mtu, other.mtu));
  wanted.dest_qp_num = other.queue;
  wanted.rq_psn = other.first_packet;
  wanted.max_dest_rd_atomic = reads_;
  wanted.ah_attr = port_.address_handle_to(address);
  what = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
         IBV_QP_MIN_RNR_TIMER;
  if (ibv_modify_qp(&pair, &wanted, what) != 0) return false;
  wanted.qp_state = IBV_QPS_RTS;
  wanted.sq_psn = first_packet;
  wanted.max_rd_atomic = std::min(reads_, other.reads);
  wanted.timeout = timeout;
  wanted.retry_cnt = tries_;
  wanted.rnr_retry = receiver_not_ready_tries;
  what = IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC;
  return ibv_modify_qp(&pair, &wanted, what) == 0;
}

// ---- Connections

std::optional<RdmaEnd> VerbsConnections::open(Rank peer) {
  const auto address = resolve_(peer);
  if (!address || free_results_.empty()) return std::nullopt;
  Connection made;
  made.pair = queue_pair(completions_.get());
  made.address = *address;
  if (!made.pair) return std::nullopt;
  made.own = end_of(*made.pair);
  made.first_packet = made.own.first_packet;
  made.results = free_results_.back();
  free_results_.pop_back();
  peers_[made.own.queue] = peer;
  return opened_.insert_or_assign(peer, std::move(made)).first->second.own;
}

bool VerbsConnections::connect(Rank peer, const RdmaEnd& other) {
  Connection& connection = opened_.at(peer);
  connection.other = other;
  return make_ready(*connection.pair, connection.address, other, connection.own.first_packet);
}

std::optional<RdmaEnd> VerbsConnections::accept(Rank peer, const RdmaEnd& other) {
  accepted_.erase(peer);
  const auto address = resolve_(peer);
  if (!address) return std::nullopt;
  auto pair = queue_pair(completions_.get());
  if (!pair) return std::nullopt;
  const RdmaEnd own = end_of(*pair);
  if (!make_ready(*pair, *address, other, own.first_packet)) return std::nullopt;
  accepted_[peer] = std::move(pair);
  return own;
}

std::vector<Token> VerbsConnections::close(Rank peer) {
  collect();  // so that nothing of it is found when another queue pair has its number
  std::vector<Token> tokens;
  const auto found = opened_.find(peer);
  if (found == opened_.end()) return tokens;
  for (const RdmaRequest& request : found->second.requests) tokens.push_back(request.token);
  free_results_.push_back(found->second.results);
  peers_.erase(found->second.own.queue);
  opened_.erase(found);
  return tokens;
}

// ---- Operations

void VerbsConnections::start(Rank peer, const RdmaRequest& request) {
  Connection& connection = opened_.at(peer);
  connection.requests.push_back(request);
  post_more(connection);
}

void VerbsConnections::post_more(Connection& connection) {
  if (connection.failed > 0 || connection.dead) return;
  while (connection.posted < std::min<std::size_t>(connection.requests.size(), at_once)) {
    if (is_read(connection.requests[connection.posted]) != is_read(connection.requests.front())) return;
    if (!post(connection, connection.posted)) return;
    ++connection.posted;
  }
}

/// An atomic's value from before goes to a place that no other one of this connection under way has.
bool VerbsConnections::post(Connection& connection, std::size_t index) {
  const RdmaRequest& request = connection.requests[index];
  if (!is_atomic(request)) {
    return post_request(*connection.pair, request,
                        part_of(request.local.data(), request.local.size(), request.local_key));
  }
  std::uint64_t& result = results_[connection.results + (connection.first + index) % at_once];
  result = connection.no_value;
  return post_request(*connection.pair, request,
                      part_of(reinterpret_cast<const std::byte*>(&result), sizeof result, results_region_->lkey));
}

void VerbsConnections::collect() {
  std::array<ibv_wc, at_once> found;
  int count = completions_ ? static_cast<int>(found.size()) : 0;
  while (count == static_cast<int>(found.size())) {
    count = ibv_poll_cq(completions_.get(), count, found.data());
    for (int i = 0; i < count; ++i) {
      const auto peer = peers_.find(found[i].qp_num);
      if (peer != peers_.end()) completed(peer->second, opened_.at(peer->second), found[i]);
    }
  }
}

/// The adapter completes the requests of a connection in order; after the first that fails it returns all others.
void VerbsConnections::completed(Rank peer, Connection& connection, const ibv_wc& found) {
  if (connection.dead || connection.posted == 0) return;
  if (connection.failed > 0) return returned(peer, connection);
  if (found.status != IBV_WC_SUCCESS) {
    connection.why = found.status;
    return returned(peer, connection);
  }
  const RdmaRequest& request = connection.requests.front();
  const std::uint64_t result = results_[connection.results + connection.first % at_once];
  if (is_atomic(request) && result == connection.no_value) {
    connection.why = IBV_WC_RETRY_EXC_ERR;  // as if it had not been answered
    stop(*connection.pair);
    return returned(peer, connection);
  }
  found_.push_back({.peer = peer, .token = request.token, .value = is_atomic(request) ? result : 0});
  connection.first_packet += packets_of(request, std::min(connection.own.mtu, connection.other.mtu));
  connection.first_packet %= packet_numbers;
  ++connection.first;
  connection.tries_in_vain = 0;
  --connection.posted;
  connection.requests.pop_front();
  post_more(connection);
}

/// One of the requests that the adapter had has come back unfinished. What is to be done waits for the last.
void VerbsConnections::returned(Rank peer, Connection& connection) {
  if (++connection.failed < connection.posted) return;
  const bool silent = connection.why == IBV_WC_RETRY_EXC_ERR || connection.why == IBV_WC_RNR_RETRY_EXC_ERR;
  const bool reads = is_read(connection.requests.front());
  if (silent && !reads && resume(connection)) return;
  connection.dead = true;
  found_.push_back({.peer = peer,
                    .token = connection.requests.front().token,
                    .outcome = is_refusal(connection.why) ? RdmaCompletion::Outcome::refused
                               : silent && reads          ? RdmaCompletion::Outcome::unanswered
                                                          : RdmaCompletion::Outcome::broken});
  connection.requests.pop_front();
}

bool VerbsConnections::resume(Connection& connection) {
  connection.tries_in_vain += tries_ + 1U;
  if (connection.tries_in_vain > max_tries_in_vain) return false;
  if (!make_ready(*connection.pair, connection.address, connection.other, connection.first_packet)) return false;
  ++resumed_;
  ++connection.no_value;
  connection.posted = connection.failed = 0;
  post_more(connection);
  return connection.posted > 0;
}

std::optional<RdmaCompletion> VerbsConnections::poll() {
  if (found_.empty()) collect();
  if (found_.empty()) return std::nullopt;
  const RdmaCompletion one = found_.front();
  found_.pop_front();
  return one;
}

bool VerbsConnections::ask_for_event() {
  if (!completions_) return false;
  ibv_req_notify_cq(completions_.get(), 0);
  collect();
  return !found_.empty();
}

// ---- This process's own memory

bool VerbsConnections::connect_to_self() {
  completions_here_.reset(ibv_create_cq(port_.device, 2, nullptr, nullptr, 0));
  if (!completions_here_) return false;
  from_here_ = queue_pair(completions_here_.get());
  to_here_ = queue_pair(completions_here_.get());
  if (!from_here_ || !to_here_) return false;
  const RdmaEnd from = end_of(*from_here_);
  const RdmaEnd to = end_of(*to_here_);
  return make_ready(*to_here_, port_.own, from, to.first_packet) &&
         make_ready(*from_here_, port_.own, to, from.first_packet);
}

std::optional<std::uint64_t> VerbsConnections::compare_swap_here(std::byte* word, const RdmaKeys& keys,
                                                                 std::uint64_t expected, std::uint64_t desired) {
  if (!from_here_ && !connect_to_self()) return std::nullopt;
  std::uint64_t& result = results_.back();
  const RdmaRequest request{.kind = RdmaRequest::Kind::compare_swap,
                            .remote = reinterpret_cast<std::uintptr_t>(word),
                            .remote_key = keys.remote,
                            .operand = desired,
                            .expected = expected};
  const ibv_sge part = part_of(reinterpret_cast<std::byte*>(&result), sizeof result, results_region_->lkey);
  if (!post_request(*from_here_, request, part)) return std::nullopt;
  ibv_wc found{};
  int count = 0;
  // The adapter ends it in any case, at the latest after its tries.
  while ((count = ibv_poll_cq(completions_here_.get(), 1, &found)) == 0) std::this_thread::yield();
  if (count != 1 || found.status != IBV_WC_SUCCESS) return std::nullopt;
  return result;
}

}  // namespace ayatori::wires
