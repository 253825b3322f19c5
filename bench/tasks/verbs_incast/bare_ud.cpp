// The bound of all protocols over UD queue pairs: nothing is ever sent again, and an answer is all the protocol there
// is. MORE = messages of a sender under way (1), messages for each answer (1), posts for each system call (1).
//
// BUFFERS must hold all that is under way, for what is lost is lost. Each sender has a queue pair of its own, so only
// its own messages share a call; the receiver's answers to different senders may share one.

#include <sched.h>

#include <array>
#include <cstring>
#include <span>

#include "ayatori/base/text.hpp"
#include "harness/verbs.hpp"
#include "verbs_incast.hpp"

namespace {

using namespace ayatori;
using namespace ayatori::verbs_incast;
using bench::Adapter;
using bench::QueueAddress;

constexpr std::uint32_t queue_key = 0x1ca57;
constexpr std::uint32_t grh_bytes = 40;
constexpr std::uint32_t answer_bytes = 4;
constexpr std::uint32_t sends = 256;
constexpr std::uint32_t signal_every = 64;
constexpr std::uint32_t max_posts = 64;

struct Rules {
  std::uint32_t window = 1;
  std::uint32_t for_each_answer = 1;
  std::uint32_t for_each_call = 1;
};

Rules rules_of(const Settings& settings, int count, char** more) {
  const auto word = [&](int i) { return i < count ? parse_unsigned<std::uint32_t>(more[i]).value_or(0) : 1U; };
  const Rules rules{word(0), word(1), word(2)};
  if (rules.for_each_answer == 0 || rules.window < rules.for_each_answer) bench::give_up("no answer would ever come");
  if (rules.for_each_call == 0 || rules.for_each_call > max_posts) bench::give_up("1 to 64 posts go with a call");
  if (settings.buffers < senders * rules.window) bench::give_up("there are fewer buffers than messages under way");
  return rules;
}

/// A UD queue pair with its receive buffers in the adapter's memory. Posts are collected until a call is worth it.
class Pair {
 public:
  /// It has the buffers from `first` on, of so many bytes after the header of each.
  Pair(Adapter& adapter, std::uint32_t first, std::uint32_t buffers, std::uint32_t bytes, std::uint32_t for_each_call)
      : adapter_(adapter), bytes_(grh_bytes + bytes), for_each_call_(for_each_call) {
    sent_ = bench::need_object(ibv_create_cq(adapter.context, sends, nullptr, nullptr, 0), "completion queue");
    ibv_qp_init_attr wanted{};
    wanted.qp_type = IBV_QPT_UD;
    wanted.send_cq = sent_;
    wanted.recv_cq = adapter.queue;
    wanted.cap = {sends, buffers, 1, 1, inline_bytes};
    pair_ = bench::need_object(ibv_create_qp(adapter.domain, &wanted), "queue pair");
    start();
    for (std::uint32_t i = 0; i < buffers; ++i) post_receive(first + i);
  }

  [[nodiscard]] QueueAddress address() const { return {adapter_.gid, pair_->qp_num}; }

  void reach(const QueueAddress& peer) {
    ibv_ah_attr wanted{};
    wanted.is_global = 1;
    wanted.grh.dgid = peer.gid;
    wanted.grh.sgid_index = bench::verbs_gid_index;
    wanted.grh.hop_limit = 64;
    wanted.port_num = bench::verbs_port;
    way_ = bench::need_object(ibv_create_ah(adapter_.domain, &wanted), "address handle");
  }

  void post_receive(std::uint64_t buffer) {
    ibv_sge part = adapter_.part(buffer, bytes_);
    ibv_recv_wr request{};
    ibv_recv_wr* refused = nullptr;
    request.wr_id = buffer;
    request.sg_list = &part;
    request.num_sge = 1;
    bench::need_success(ibv_post_recv(pair_, &request, &refused), "post a receive");
  }

  /// The bytes stay where they are until flush().
  void post(std::span<const std::byte> bytes, std::uint32_t queue) {
    parts_[posts_] = {reinterpret_cast<std::uint64_t>(bytes.data()), static_cast<std::uint32_t>(bytes.size()), 0};
    ibv_send_wr& request = requests_[posts_];
    request = {};
    request.sg_list = &parts_[posts_];
    request.num_sge = 1;
    request.opcode = IBV_WR_SEND;
    request.send_flags = IBV_SEND_INLINE;
    if (++posted_ % signal_every == 0) request.send_flags |= IBV_SEND_SIGNALED;
    request.wr.ud.ah = way_;
    request.wr.ud.remote_qpn = queue;
    request.wr.ud.remote_qkey = queue_key;
    if (posts_ > 0) requests_[posts_ - 1].next = &request;
    if (++posts_ == for_each_call_) flush();
  }

  void flush() {
    if (posts_ == 0) return;
    while (posted_ - completed_ > sends) {
      ibv_wc found{};
      if (ibv_poll_cq(sent_, 1, &found) != 1) continue;
      if (found.status != IBV_WC_SUCCESS) bench::give_up("a send failed");
      completed_ += signal_every;
    }
    ibv_send_wr* refused = nullptr;
    bench::need_success(ibv_post_send(pair_, requests_.data(), &refused), "post sends");
    posts_ = 0;
  }

 private:
  static constexpr std::uint32_t inline_bytes = 192;

  void start() {
    ibv_qp_attr wanted{};
    wanted.qp_state = IBV_QPS_INIT;
    wanted.port_num = bench::verbs_port;
    wanted.qkey = queue_key;
    constexpr int first = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY;
    bench::need_success(ibv_modify_qp(pair_, &wanted, first), "INIT");
    wanted.qp_state = IBV_QPS_RTR;
    bench::need_success(ibv_modify_qp(pair_, &wanted, IBV_QP_STATE), "RTR");
    wanted.qp_state = IBV_QPS_RTS;
    bench::need_success(ibv_modify_qp(pair_, &wanted, IBV_QP_STATE | IBV_QP_SQ_PSN), "RTS");
  }

  Adapter& adapter_;
  std::uint32_t bytes_;
  std::uint32_t for_each_call_;
  ibv_cq* sent_ = nullptr;
  ibv_qp* pair_ = nullptr;
  ibv_ah* way_ = nullptr;
  std::array<ibv_send_wr, max_posts> requests_{};
  std::array<ibv_sge, max_posts> parts_{};
  std::uint32_t posts_ = 0;  ///< collected
  std::uint64_t posted_ = 0, completed_ = 0;
};

/// What has come; without anything the core is the other process's.
std::span<const ibv_wc> arrivals(const Adapter& adapter, std::array<ibv_wc, 32>& found) {
  const int count = ibv_poll_cq(adapter.queue, static_cast<int>(found.size()), found.data());
  if (count <= 0) sched_yield();
  const std::span<const ibv_wc> come(found.data(), static_cast<std::size_t>(std::max(count, 0)));
  for (const ibv_wc& one : come) {
    if (one.status != IBV_WC_SUCCESS) bench::give_up("a receive failed");
  }
  return come;
}

QueueAddress published(const Shared& shared, std::uint32_t slot) {
  QueueAddress address;
  std::memcpy(&address, shared.addresses[slot].data(), sizeof address);
  return address;
}

void receive(const Settings& settings, Shared& shared, int count, char** more) {
  const Rules rules = rules_of(settings, count, more);
  const std::size_t buffer_bytes = grh_bytes + settings.bytes;
  Adapter adapter(settings.receiver_device, settings.buffers, settings.buffers * buffer_bytes);
  Pair pair(adapter, 0, settings.buffers, settings.bytes, rules.for_each_call);
  const QueueAddress own = pair.address();
  std::memcpy(shared.addresses[senders].data(), &own, sizeof own);
  await(shared.senders_ready);
  pair.reach(published(shared, 0));  // one way leads to all, for one adapter has them
  std::array<std::uint32_t, senders> queues{};
  for (std::uint32_t i = 0; i < senders; ++i) queues[i] = published(shared, i).queue;
  shared.receiver_ready = true;
  std::array<std::uint32_t, senders> next{};
  std::array<ibv_wc, 32> found;
  while (!shared.done) {
    for (const ibv_wc& one : arrivals(adapter, found)) {
      std::array<std::uint32_t, 2> head{};
      std::memcpy(head.data(), adapter.memory.data() + one.wr_id * buffer_bytes + grh_bytes, sizeof head);
      if (head[0] >= senders || head[1] != next[head[0]]) bench::give_up("a message is not what was sent");
      std::uint32_t& number = next[head[0]];
      handle(settings);
      ++shared.delivered;
      ++number;
      pair.post_receive(one.wr_id);
      const bool answered = number % rules.for_each_answer == 0 || number == settings.messages;
      if (answered) pair.post(std::as_bytes(std::span(&number, 1)), queues[head[0]]);
    }
    pair.flush();
  }
}

struct Sender {
  Pair pair;
  std::vector<std::byte> messages;  ///< one after the other, as many as may be under way
  std::uint32_t sent = 0;
  std::uint32_t answered = 0;
};

void send_more(Sender& sender, std::uint32_t number, std::uint32_t receiver, const Settings& settings, Rules rules) {
  for (; sender.sent < settings.messages && sender.sent - sender.answered < rules.window; ++sender.sent) {
    const auto message =
        std::span(sender.messages).subspan(sender.sent % rules.window * settings.bytes, settings.bytes);
    const std::array<std::uint32_t, 2> head{number, sender.sent};
    std::memcpy(message.data(), head.data(), sizeof head);
    sender.pair.post(message, receiver);
  }
  sender.pair.flush();
}

void send(const Settings& settings, Shared& shared, int count, char** more) {
  const Rules rules = rules_of(settings, count, more);
  const std::size_t buffer_bytes = grh_bytes + answer_bytes;
  Adapter adapter(settings.sender_device, senders * rules.window, senders * rules.window * buffer_bytes);
  std::vector<Sender> all;
  all.reserve(senders);
  for (std::uint32_t i = 0; i < senders; ++i) {
    all.push_back({Pair(adapter, i * rules.window, rules.window, answer_bytes, rules.for_each_call),
                   std::vector<std::byte>(std::size_t{rules.window} * settings.bytes)});
    const QueueAddress own = all[i].pair.address();
    std::memcpy(shared.addresses[i].data(), &own, sizeof own);
  }
  shared.senders_ready = true;
  await(shared.receiver_ready);
  const QueueAddress receiver = published(shared, senders);
  for (Sender& sender : all) sender.pair.reach(receiver);
  std::array<ibv_wc, 32> found;
  const double start = seconds_now();
  for (std::uint32_t i = 0; i < senders; ++i) send_more(all[i], i, receiver.queue, settings, rules);
  for (std::uint32_t left = senders; left > 0;) {
    for (const ibv_wc& one : arrivals(adapter, found)) {
      const auto number = static_cast<std::uint32_t>(one.wr_id / rules.window);
      Sender& sender = all[number];
      const bool left_before = sender.answered < settings.messages;
      std::memcpy(&sender.answered, adapter.memory.data() + one.wr_id * buffer_bytes + grh_bytes, answer_bytes);
      sender.pair.post_receive(one.wr_id);
      left -= left_before && sender.answered == settings.messages ? 1U : 0U;
      send_more(sender, number, receiver.queue, settings, rules);
    }
  }
  shared.seconds = seconds_now() - start;
  shared.done = true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 4 && std::atoi(argv[4]) < 8) bench::give_up("a message has at least 8 bytes");
  return run(argc, argv, receive, send);
}
