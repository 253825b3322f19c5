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
        on_link_(time_on_link(incast.bytes + header_bytes)),
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
  };

  void schedule(Time when, What what, std::uint32_t client) { events_.push({when, scheduled_++, what, client}); }

  /// The client's processor has a message for its interface.
  void hand_over(std::uint32_t client) {
    if (clients_[client].left == 0) return;
    --clients_[client].left;
    ++first_copies;
    clients_[client].in_hand = now_;
    schedule(now_ + scenario_.send_cost, What::sends, client);
  }

  /// The server's link takes one message after the other; the fabric holds back the others.
  void send(std::uint32_t client) {
    server_link_free_ = std::max(now_ + scenario_.latency, server_link_free_) + on_link_;
    schedule(server_link_free_ + jitter(), What::arrives, client);
  }

  void arrive(std::uint32_t client) {
    const Duration back = scenario_.latency + jitter();
    if (free_buffers_ == 0) {
      ++not_ready;
      return schedule(now_ + back + not_ready_delay_, What::sends, client);
    }
    --free_buffers_;
    server_busy_until_ = std::max(now_, server_busy_until_) + scenario_.receive_cost;
    schedule(server_busy_until_, What::handled, client);
    in_buffers_.push(clients_[client].in_hand);
    schedule(now_ + back + scenario_.receive_cost, What::completed, client);
  }

  void handled(std::uint32_t client) {
    ++free_buffers_;
    arrivals.note(client, now_ - in_buffers_.front());
    in_buffers_.pop();
  }

  [[nodiscard]] Duration jitter() {
    return Duration(random_.below(static_cast<std::uint64_t>(scenario_.jitter.count()) + 1));
  }
  [[nodiscard]] Duration time_on_link(std::uint32_t bytes) const {
    if (scenario_.gigabytes_per_second <= 0) return Duration(0);
    return Duration(static_cast<std::int64_t>(bytes / scenario_.gigabytes_per_second));
  }

  const Scenario& scenario_;
  Duration not_ready_delay_;
  Duration on_link_;
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
  result.retransmissions = result.overflowed = cluster.not_ready;
  return result;
}

}  // namespace ayatori::simulated
