// Reliable connections whose receiver takes its buffers from one shared receive queue (paper 5, section 5.2).
// MORE = min_rnr_timer (InfiniBand's code: 12 is 640 us, 1 is 10 us) and rnr_retry (7: without end).

#include <cstring>
#include <fstream>

#include "ayatori/base/text.hpp"
#include "harness/verbs.hpp"
#include "verbs_incast.hpp"

namespace {

using namespace ayatori;
using namespace ayatori::verbs_incast;
using bench::Adapter;
using bench::QueueAddress;

bench::ConnectionRetries retries_of(int count, char** more) {
  const auto word = [&](int i, std::uint8_t otherwise) {
    return i < count ? parse_unsigned<std::uint8_t>(more[i]).value_or(otherwise) : otherwise;
  };
  return {word(0, 12), word(1, 7)};
}

void publish(Shared& shared, std::uint32_t slot, const QueueAddress& address) {
  std::memcpy(shared.addresses[slot].data(), &address, sizeof address);
}

QueueAddress published(const Shared& shared, std::uint32_t slot, std::size_t offset = 0) {
  QueueAddress address;
  std::memcpy(&address, shared.addresses[slot].data() + offset, sizeof address);
  return address;
}

void post(ibv_srq* queue, ibv_sge part, std::uint64_t id) {
  ibv_recv_wr request{};
  ibv_recv_wr* refused = nullptr;
  request.wr_id = id;
  request.sg_list = &part;
  request.num_sge = 1;
  bench::need_success(ibv_post_srq_recv(queue, &request, &refused), "post to the shared receive queue");
}

/// The sender's slot holds its own address first, then that of its peer at the receiver.
void receive(const Settings& settings, Shared& shared, int count, char** more) {
  Adapter adapter(settings.receiver_device, settings.buffers + senders, std::size_t{settings.buffers} * settings.bytes);
  ibv_srq_init_attr wanted{.srq_context = nullptr, .attr = {.max_wr = settings.buffers, .max_sge = 1, .srq_limit = 0}};
  ibv_srq* const queue = bench::need_object(ibv_create_srq(adapter.domain, &wanted), "shared receive queue");
  for (std::uint32_t i = 0; i < settings.buffers; ++i) post(queue, adapter.part(i, settings.bytes), i);
  await(shared.senders_ready);
  for (std::uint32_t i = 0; i < senders; ++i) {
    ibv_qp* const pair = adapter.queue_pair(queue);
    bench::connect(pair, published(shared, i), retries_of(count, more));
    const QueueAddress own{adapter.gid, pair->qp_num};
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
    handle(settings);
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
  bench::need_success(ibv_post_send(sender.pair, &request, &refused), "post a send");
}

void send(const Settings& settings, Shared& shared, int count, char** more) {
  Adapter adapter(settings.sender_device, 4 * senders, std::size_t{senders} * settings.bytes);
  std::array<Sender, senders> all;
  for (std::uint32_t i = 0; i < senders; ++i) {
    all[i].pair = adapter.queue_pair(nullptr);
    publish(shared, i, {adapter.gid, all[i].pair->qp_num});
  }
  shared.senders_ready = true;
  await(shared.receiver_ready);
  for (std::uint32_t i = 0; i < senders; ++i) {
    bench::connect(all[i].pair, published(shared, i, sizeof(QueueAddress)), retries_of(count, more));
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
