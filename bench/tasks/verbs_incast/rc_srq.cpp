// Reliable connections whose receiver takes its buffers from one shared receive queue (paper 5, section 5.2).
// MORE = min_rnr_timer (InfiniBand's code: 12 is 640 us, 1 is 10 us) and rnr_retry (7: without end).

#include <infiniband/verbs.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "ayatori/base/text.hpp"
#include "verbs_incast.hpp"

namespace {

using namespace ayatori;
using namespace ayatori::verbs_incast;

constexpr std::uint8_t port = 1;
constexpr std::uint8_t gid_index = 1;  // IPv4 on Soft-RoCE

struct Retries {
  std::uint8_t timer = 12;
  std::uint8_t limit = 7;
};

Retries retries_of(int count, char** more) {
  const auto word = [&](int i, std::uint8_t otherwise) {
    return i < count ? parse_unsigned<std::uint8_t>(more[i]).value_or(otherwise) : otherwise;
  };
  return {word(0, 12), word(1, 7)};
}

struct Address {
  ibv_gid gid{};
  std::uint32_t queue = 0;
};

template <typename T>
T* need(T* made, std::string_view what) {
  if (!made) bench::give_up(fmt::format("no {}: {}", what, std::strerror(errno)));
  return made;
}
void succeed(int code, std::string_view what) {
  if (code != 0) bench::give_up(fmt::format("{}: {}", what, std::strerror(code)));
}

/// An adapter with registered memory; all of it goes with the process.
struct Adapter {
  Adapter(const std::string& name, std::uint32_t entries, std::size_t memory_bytes) : memory(memory_bytes) {
    int count = 0;
    ibv_device** const list = ibv_get_device_list(&count);
    for (int i = 0; i < count; ++i) {
      if (name == ibv_get_device_name(list[i])) context = ibv_open_device(list[i]);
    }
    need(context, "device " + name);
    domain = need(ibv_alloc_pd(context), "protection domain");
    queue = need(ibv_create_cq(context, static_cast<int>(entries), nullptr, nullptr, 0), "completion queue");
    region = need(ibv_reg_mr(domain, memory.data(), memory.size(), IBV_ACCESS_LOCAL_WRITE), "memory region");
    succeed(ibv_query_gid(context, port, gid_index, &gid), "GID");
  }

  ibv_qp* connection(ibv_srq* shared_queue) const {
    ibv_qp_init_attr wanted{};
    wanted.qp_type = IBV_QPT_RC;
    wanted.send_cq = wanted.recv_cq = queue;
    wanted.srq = shared_queue;
    wanted.cap = {.max_send_wr = 4, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1, .max_inline_data = 0};
    return need(ibv_create_qp(domain, &wanted), "queue pair");
  }

  ibv_sge part(std::size_t index, std::uint32_t bytes) {
    return {reinterpret_cast<std::uint64_t>(memory.data() + index * bytes), bytes, region->lkey};
  }

  std::vector<std::byte> memory;
  ibv_context* context = nullptr;
  ibv_pd* domain = nullptr;
  ibv_cq* queue = nullptr;
  ibv_mr* region = nullptr;
  ibv_gid gid{};
};

void connect(ibv_qp* pair, const Address& peer, const Retries& retries) {
  ibv_qp_attr wanted{};
  wanted.qp_state = IBV_QPS_INIT;
  wanted.port_num = port;
  succeed(ibv_modify_qp(pair, &wanted, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS), "INIT");
  wanted.qp_state = IBV_QPS_RTR;
  wanted.path_mtu = IBV_MTU_4096;
  wanted.dest_qp_num = peer.queue;
  wanted.min_rnr_timer = retries.timer;
  wanted.ah_attr.is_global = 1;
  wanted.ah_attr.grh.dgid = peer.gid;
  wanted.ah_attr.grh.sgid_index = gid_index;
  wanted.ah_attr.grh.hop_limit = 64;
  wanted.ah_attr.port_num = port;
  succeed(ibv_modify_qp(pair, &wanted,
                        IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                            IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER),
          "RTR");
  wanted.qp_state = IBV_QPS_RTS;
  wanted.timeout = 14;  // 67 ms
  wanted.retry_cnt = 7;
  wanted.rnr_retry = retries.limit;
  succeed(ibv_modify_qp(pair, &wanted,
                        IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
                            IBV_QP_MAX_QP_RD_ATOMIC),
          "RTS");
}

void publish(Shared& shared, std::uint32_t slot, const Address& address) {
  std::memcpy(shared.addresses[slot].data(), &address, sizeof address);
}

Address published(const Shared& shared, std::uint32_t slot, std::size_t offset = 0) {
  Address address;
  std::memcpy(&address, shared.addresses[slot].data() + offset, sizeof address);
  return address;
}

void post(ibv_srq* queue, ibv_sge part, std::uint64_t id) {
  ibv_recv_wr request{};
  ibv_recv_wr* refused = nullptr;
  request.wr_id = id;
  request.sg_list = &part;
  request.num_sge = 1;
  succeed(ibv_post_srq_recv(queue, &request, &refused), "post to the shared receive queue");
}

/// The sender's slot holds its own address first, then that of its peer at the receiver.
void receive(const Settings& settings, Shared& shared, int count, char** more) {
  Adapter adapter(settings.receiver_device, settings.buffers + senders, std::size_t{settings.buffers} * settings.bytes);
  ibv_srq_init_attr wanted{.srq_context = nullptr, .attr = {.max_wr = settings.buffers, .max_sge = 1, .srq_limit = 0}};
  ibv_srq* const queue = need(ibv_create_srq(adapter.domain, &wanted), "shared receive queue");
  for (std::uint32_t i = 0; i < settings.buffers; ++i) post(queue, adapter.part(i, settings.bytes), i);
  await(shared.senders_ready);
  for (std::uint32_t i = 0; i < senders; ++i) {
    ibv_qp* const pair = adapter.connection(queue);
    connect(pair, published(shared, i), retries_of(count, more));
    const Address own{adapter.gid, pair->qp_num};
    std::memcpy(shared.addresses[i].data() + sizeof own, &own, sizeof own);
  }
  shared.receiver_ready = true;
  std::array<std::uint32_t, senders> next{};
  // An adapter acknowledges what its process has not handled yet.
  while (!shared.done || shared.delivered < shared.acknowledged) {
    ibv_wc found{};
    if (ibv_poll_cq(adapter.queue, 1, &found) != 1) {
      sched_yield();
      continue;
    }
    if (found.status != IBV_WC_SUCCESS) continue;
    std::array<std::uint32_t, 2> head{};
    std::memcpy(head.data(), adapter.memory.data() + found.wr_id * settings.bytes, sizeof head);
    if (head[0] >= senders || head[1] != next[head[0]]++) bench::give_up("a message is not what was sent");
    ++shared.delivered;
    post(queue, adapter.part(found.wr_id, settings.bytes), found.wr_id);
  }
}

std::uint64_t not_ready_answers(const std::string& device) {
  std::uint64_t count = 0;
  std::ifstream("/sys/class/infiniband/" + device + "/ports/1/hw_counters/rcvd_rnr_err") >> count;
  return count;
}

struct Sender {
  ibv_qp* pair = nullptr;
  std::uint32_t acknowledged = 0;
  bool broken = false;
};

void send_next(Adapter& adapter, const Settings& settings, std::uint32_t number, const Sender& sender) {
  const std::array<std::uint32_t, 2> head{number, sender.acknowledged};
  std::memcpy(adapter.memory.data() + std::size_t{number} * settings.bytes, head.data(), sizeof head);
  ibv_sge part = adapter.part(number, settings.bytes);
  ibv_send_wr request{};
  ibv_send_wr* refused = nullptr;
  request.wr_id = number;
  request.sg_list = &part;
  request.num_sge = 1;
  request.opcode = IBV_WR_SEND;
  request.send_flags = IBV_SEND_SIGNALED;
  succeed(ibv_post_send(sender.pair, &request, &refused), "post a send");
}

void send(const Settings& settings, Shared& shared, int count, char** more) {
  Adapter adapter(settings.sender_device, 4 * senders, std::size_t{senders} * settings.bytes);
  std::array<Sender, senders> all;
  for (std::uint32_t i = 0; i < senders; ++i) {
    all[i].pair = adapter.connection(nullptr);
    publish(shared, i, {adapter.gid, all[i].pair->qp_num});
  }
  shared.senders_ready = true;
  await(shared.receiver_ready);
  for (std::uint32_t i = 0; i < senders; ++i) {
    connect(all[i].pair, published(shared, i, sizeof(Address)), retries_of(count, more));
  }
  const std::uint64_t before = not_ready_answers(settings.sender_device);
  const double start = seconds_now();
  for (std::uint32_t i = 0; i < senders; ++i) send_next(adapter, settings, i, all[i]);
  for (std::uint32_t left = senders; left > 0;) {
    ibv_wc found{};
    if (ibv_poll_cq(adapter.queue, 1, &found) != 1) {
      sched_yield();
      continue;
    }
    Sender& sender = all[found.wr_id];
    if (sender.broken) continue;
    sender.broken = found.status != IBV_WC_SUCCESS;
    shared.errors += sender.broken ? 1U : 0U;
    sender.acknowledged += sender.broken ? 0U : 1U;
    if (sender.broken || sender.acknowledged == settings.messages) {
      --left;
    } else {
      send_next(adapter, settings, static_cast<std::uint32_t>(found.wr_id), sender);
    }
  }
  shared.seconds = seconds_now() - start;
  for (const Sender& sender : all) shared.acknowledged += sender.acknowledged;
  shared.retransmissions = not_ready_answers(settings.sender_device) - before;
  shared.done = true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 4 && std::atoi(argv[4]) < 8) bench::give_up("a message has at least 8 bytes");
  return run(argc, argv, receive, send);
}
