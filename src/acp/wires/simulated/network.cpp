#include "ayatori/simulated/network.hpp"

#include <algorithm>

namespace ayatori::simulated {

namespace {

/// So many datagrams may be handled before due timers, however many wait.
constexpr std::uint32_t handled_at_once = 16;

}  // namespace

Result<> check(const Scenario& scenario) {
  for (const auto& [field, value] : {std::pair{"drop", scenario.drop}, std::pair{"duplicate", scenario.duplicate},
                                     std::pair{"reorder", scenario.reorder}}) {
    if (!(value >= 0 && value <= 1)) return fail("{} is {}; a probability is 0 to 1", field, value);
  }
  for (const auto& [field, value] :
       {std::pair{"latency", scenario.latency}, std::pair{"jitter", scenario.jitter},
        std::pair{"reorder_delay", scenario.reorder_delay}, std::pair{"receive_cost", scenario.receive_cost},
        std::pair{"send_cost", scenario.send_cost}, std::pair{"retry_timeout", scenario.retry_timeout}}) {
    if (value.count() < 0) return fail("{} is {} ns; it can't be less than 0", field, value.count());
  }
  if (!is_link_rate(scenario.gigabytes_per_second)) {
    return fail("gigabytes_per_second is {}; it must be 0 (without limit), or 1e-6 to 1e6",
                scenario.gigabytes_per_second);
  }
  for (const auto& [field, value] :
       {std::pair{"rnr_retry", scenario.rnr_retry}, std::pair{"retry_count", scenario.retry_count}}) {
    if (value > max_retries) return fail("{} is {}; it must be 0 to {}", field, value, max_retries);
  }
  if (scenario.receive_buffers == 0) return fail("receive_buffers is 0; with none, nothing can be received");
  if (scenario.control_buffers == 0) return fail("control_buffers is 0; with none, nothing can be acknowledged");
  return {};
}

Network::Network(const Scenario& scenario) : scenario_(scenario), random_(scenario.seed) {}

void Network::attach(PeerId peer, transport::Endpoint& endpoint) {
  Machine& machine = machines_[peer];
  machine.endpoint = &endpoint;
  schedule_work(peer, machine, now_);
}

void Network::detach(PeerId peer) {
  const auto found = machines_.find(peer);
  if (found == machines_.end()) return;
  Machine& machine = found->second;
  for (const DatagramId datagram : machine.data) discard(datagram);
  for (const DatagramId datagram : machine.control) discard(datagram);
  if (machine.in_hand != no_id) discard(machine.in_hand);
  machines_.erase(found);
}

void Network::wake(PeerId peer) {
  const auto found = machines_.find(peer);
  if (found != machines_.end()) schedule_work(peer, found->second, now_);
}

void Network::occupy(PeerId peer, Time until) {
  const auto found = machines_.find(peer);
  if (found != machines_.end()) found->second.busy_until = std::max(found->second.busy_until, until);
}

bool Network::run_until(const std::function<bool()>& done, Time limit) {
  while (!done()) {
    if (!step(limit)) return false;
  }
  return true;
}

bool Network::step(Time limit) {
  if (events_.empty() || events_.top().when >= limit) return false;
  const Event next = events_.top();
  events_.pop();
  now_ = next.when;
  if (next.datagram != no_id) {
    arrive(next.peer, next.datagram);
  } else if (const auto found = machines_.find(next.peer); found != machines_.end() && found->second.wakes_at == now_) {
    found->second.wakes_at = transport::never;
    work(next.peer);
  }
  return true;
}

/// A machine has one time at which it wakes; an earlier one replaces it, and the replaced happening finds nothing to
/// do.
void Network::schedule_work(PeerId peer, Machine& machine, Time when) {
  when = std::max(when, now_);
  if (when == transport::never || when >= machine.wakes_at) return;
  machine.wakes_at = when;
  events_.push({when, scheduled_++, peer, no_id});
}

void Network::work(PeerId peer) {
  Machine& machine = machines_[peer];
  if (machine.busy_until > now_) return schedule_work(peer, machine, machine.busy_until);
  if (machine.in_hand != no_id) {
    const DatagramId handled = std::exchange(machine.in_hand, no_id);
    machine.endpoint->receive(now_, datagrams_[handled]);
    discard(handled);
  }
  const bool due = machine.endpoint->next_deadline() <= now_;
  if (due && (machine.handled_since_advance >= handled_at_once || (machine.data.empty() && machine.control.empty()))) {
    machine.handled_since_advance = 0;
    machine.endpoint->advance(now_);
  }
  if (send_one(peer, machine) || handle_one(machine)) return schedule_work(peer, machine, machine.busy_until);
  schedule_work(peer, machine, machine.endpoint->next_deadline());
}

bool Network::send_one(PeerId peer, Machine& machine) {
  if (machine.uplink_free > now_) {
    schedule_work(peer, machine, machine.uplink_free);
    return false;
  }
  const auto datagram = machine.endpoint->next_packet(now_);
  if (!datagram) return false;
  machine.busy_until = now_ + scenario_.send_cost;
  transmit(peer, machine, *datagram);
  return true;
}

bool Network::handle_one(Machine& machine) {
  std::deque<DatagramId>& queue = machine.control.empty() ? machine.data : machine.control;
  if (queue.empty()) return false;
  machine.in_hand = queue.front();
  queue.pop_front();
  ++machine.handled_since_advance;
  machine.busy_until = now_ + scenario_.receive_cost;
  return true;
}

void Network::transmit(PeerId from, Machine& sender, const transport::Datagram& datagram) {
  ++counters_.sent;
  const Duration on_link = time_on_link(datagram.header.size() + datagram.payload.size());
  Time arrival = sender.busy_until + on_link + scenario_.latency;
  if (const auto found = machines_.find(datagram.to); found != machines_.end()) {
    arrival = std::max(arrival, found->second.downlink_free + on_link);
    found->second.downlink_free = arrival;
  }
  // While the receiver's link is busy, the datagram stands in the sender's.
  sender.uplink_free = arrival - scenario_.latency;

  if (random_.fraction() < scenario_.drop || in_black_hole(from) || in_black_hole(datagram.to)) {
    ++counters_.dropped;
    return;
  }
  launch(datagram.to, store(datagram), arrival);
  if (scenario_.duplicate > 0 && random_.fraction() < scenario_.duplicate) {
    ++counters_.duplicated;
    launch(datagram.to, store(datagram), arrival);
  }
}

void Network::launch(PeerId to, DatagramId datagram, Time when) {
  if (scenario_.jitter.count() > 0)
    when += Duration(random_.below(static_cast<std::uint64_t>(scenario_.jitter.count()) + 1));
  if (scenario_.reorder > 0 && random_.fraction() < scenario_.reorder) when += scenario_.reorder_delay;
  events_.push({when, scheduled_++, to, datagram});
}

void Network::arrive(PeerId to, DatagramId datagram) {
  if (!machines_.contains(to) && on_unattached_) on_unattached_(to);
  const auto found = machines_.find(to);
  if (found == machines_.end()) {
    ++counters_.unattached;
    return discard(datagram);
  }
  Machine& machine = found->second;
  const bool control = transport::is_control(datagrams_[datagram]);
  std::deque<DatagramId>& queue = control ? machine.control : machine.data;
  const bool in_hand = machine.in_hand != no_id && transport::is_control(datagrams_[machine.in_hand]) == control;
  if (queue.size() + in_hand >= (control ? scenario_.control_buffers : scenario_.receive_buffers)) {
    ++counters_.overflowed;
    return discard(datagram);
  }
  queue.push_back(datagram);
  schedule_work(to, machine, std::max(now_, machine.busy_until));
}

bool Network::in_black_hole(PeerId peer) const {
  return std::ranges::any_of(scenario_.black_holes, [&](const BlackHole& hole) {
    return hole.peer == peer && hole.from <= now_ && now_ < hole.until;
  });
}

Network::DatagramId Network::store(const transport::Datagram& datagram) {
  if (free_.empty()) {
    free_.push_back(static_cast<DatagramId>(datagrams_.size()));
    datagrams_.emplace_back();
  }
  const DatagramId id = free_.back();
  free_.pop_back();
  std::vector<std::byte>& bytes = datagrams_[id];
  bytes.assign(datagram.header.begin(), datagram.header.end());
  bytes.insert(bytes.end(), datagram.payload.begin(), datagram.payload.end());
  return id;
}

Duration Network::time_on_link(std::size_t bytes) const {
  if (scenario_.gigabytes_per_second <= 0) return Duration(0);
  return Duration(static_cast<std::int64_t>(static_cast<double>(bytes) / scenario_.gigabytes_per_second));
}

}  // namespace ayatori::simulated
