#include "ayatori/simulated/reliable_connections.hpp"

#include <algorithm>
#include <queue>
#include <vector>

#include "arrivals.hpp"
#include "ayatori/base/random.hpp"

namespace ayatori::simulated {

namespace {

/// Of a message and of an acknowledgement: local route, base transport, invariant and variant checks.
constexpr std::uint32_t header_bytes = 26;

class Cluster {
 public:
  Cluster(const Incast& incast, const Scenario& scenario, Duration not_ready_delay)
      : arrivals(incast.clients),
        scenario_(scenario),
        not_ready_delay_(not_ready_delay),
        on_link_(arrival_spacing(scenario, incast.bytes + header_bytes)),
        receive_time_(receive_time(scenario, incast.bytes)),
        random_(scenario.seed),
        clients_(incast.clients, Client{.left = incast.messages}),
        free_buffers_(scenario.receive_buffers) {
    for (std::uint32_t client = 0; client < incast.clients; ++client) hand_over(client);
  }

  /// Lets the next thing happen; false if nothing is left.
  bool step() {
    if (events_.empty()) return false;
    const Event next = events_.top();
    events_.pop();
    now_ = next.when;
    switch (next.what) {
      case What::sends:
        return send(next.client), true;
      case What::arrives:
        return arrive(next.client), true;
      case What::handled:
        return handled(next.client), true;
      case What::completed:
        return hand_over(next.client), true;
    }
    return true;
  }

  [[nodiscard]] Time now() const { return now_; }

  Arrivals arrivals;
  std::uint64_t first_copies = 0;
  std::uint64_t not_ready = 0;
  std::uint64_t timeouts = 0;
  std::uint32_t broken = 0;

 private:
  enum class What : std::uint8_t { sends, arrives, handled, completed };

  struct Event {
    Time when{};
    std::uint64_t number = 0;  // of equal times, what was scheduled first happens first
    What what = What::sends;
    std::uint32_t client = 0;

    bool operator>(const Event& other) const { return when != other.when ? when > other.when : number > other.number; }
  };

  struct Client {
    std::uint32_t left = 0;
    Time in_hand{};
    Time sent{};
    bool arrived = false;              // the message is in a buffer of the server, or was
    std::uint32_t not_ready = 0;       // times that it found no buffer
    std::uint32_t without_answer = 0;  // times in a row that the timer ran out
  };

  void schedule(Time when, What what, std::uint32_t client) { events_.push({when, scheduled_++, what, client}); }

  /// The client's processor has a message for its interface.
  void hand_over(std::uint32_t client) {
    const std::uint32_t left = clients_[client].left;
    if (left == 0) return;
    clients_[client] = {.left = left - 1, .in_hand = now_};
    ++first_copies;
    schedule(now_ + scenario_.send_cost, What::sends, client);
  }

  /// The server's link takes one message after the other; the fabric holds back the others.
  void send(std::uint32_t client) {
    clients_[client].sent = now_;
    if (lost()) return time_out(client);
    server_link_free_ = std::max(now_ + scenario_.latency, server_link_free_) + on_link_;
    schedule(server_link_free_ + jitter(), What::arrives, client);
  }

  void arrive(std::uint32_t client) {
    Client& sender = clients_[client];
    const bool takes = sender.arrived || free_buffers_ > 0;
    if (!takes) ++not_ready;
    if (takes && !sender.arrived) fill_buffer(client);
    const Duration back = scenario_.latency + jitter();
    if (lost()) return time_out(client);
    sender.without_answer = 0;
    if (takes) return schedule(now_ + back + scenario_.receive_cost, What::completed, client);
    if (sender.not_ready++ == scenario_.rnr_retry && scenario_.rnr_retry != rnr_without_limit) return give_up(client);
    schedule(now_ + back + not_ready_delay_, What::sends, client);
  }

  void fill_buffer(std::uint32_t client) {
    clients_[client].arrived = true;
    --free_buffers_;
    server_busy_until_ = std::max(now_, server_busy_until_) + receive_time_;
    schedule(server_busy_until_, What::handled, client);
    in_buffers_.push(clients_[client].in_hand);
  }

  /// A message or its answer is lost: the client's interface sends again when its timer has run out.
  void time_out(std::uint32_t client) {
    if (clients_[client].without_answer++ == scenario_.retry_count) return give_up(client);
    ++timeouts;
    schedule(std::max(now_, clients_[client].sent + scenario_.retry_timeout), What::sends, client);
  }

  void give_up(std::uint32_t client) {
    clients_[client].left = 0;
    ++broken;
  }

  void handled(std::uint32_t client) {
    ++free_buffers_;
    arrivals.note(client, now_ - in_buffers_.front());
    in_buffers_.pop();
  }

  [[nodiscard]] bool lost() { return scenario_.drop > 0 && random_.fraction() < scenario_.drop; }
  [[nodiscard]] Duration jitter() {
    return Duration(random_.below(static_cast<std::uint64_t>(scenario_.jitter.count()) + 1));
  }

  const Scenario& scenario_;
  Duration not_ready_delay_;
  Duration on_link_;
  Duration receive_time_;
  Random random_;
  Time now_{};
  std::uint64_t scheduled_ = 0;
  std::vector<Client> clients_;
  std::uint32_t free_buffers_;
  std::queue<Time> in_buffers_;  // when each one's message was in hand; in the order in which they are handled
  Time server_link_free_{};
  Time server_busy_until_{};
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
};

}  // namespace

IncastResult run_reliable_connections(const Incast& incast, const Scenario& scenario, Duration not_ready_delay) {
  Cluster cluster(incast, scenario, not_ready_delay);
  const Arrivals::RunUntil run_until = [&](const std::function<bool()>& done) {
    while (!done() && cluster.step()) {
    }
    return cluster.now();
  };
  IncastResult result = cluster.arrivals.measure(std::uint64_t{incast.clients} * incast.messages, run_until);
  result.data_packets = cluster.first_copies;
  result.overflowed = cluster.not_ready;
  result.retransmissions = cluster.not_ready + cluster.timeouts;
  result.broken = cluster.broken;
  return result;
}

}  // namespace ayatori::simulated
