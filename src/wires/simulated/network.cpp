#include "ayatori/simulated/network.hpp"

#include <algorithm>

namespace ayatori::simulated {

namespace {

/// So many datagrams may be handled before what is due gets its turn, however many wait.
constexpr std::uint32_t handled_at_once = 16;

}  // namespace

Result<> check(const Plan& plan) {
  for (const auto& [field, value] :
       {std::pair{"drop", plan.drop}, std::pair{"duplicate", plan.duplicate}, std::pair{"reorder", plan.reorder}}) {
    if (!(value >= 0 && value <= 1)) return fail("{} is {}; a probability is 0 to 1", field, value);
  }
  for (const auto& [field, value] :
       {std::pair{"latency", plan.latency}, std::pair{"jitter", plan.jitter},
        std::pair{"reorder_delay", plan.reorder_delay}, std::pair{"receive_cost", plan.receive_cost},
        std::pair{"send_cost", plan.send_cost}}) {
    if (value.count() < 0) return fail("{} is {} ns; it can't be less than 0", field, value.count());
  }
  if (!is_link_rate(plan.gigabytes_per_second)) {
    return fail("gigabytes_per_second is {}; it must be 0 (without limit), or 1e-6 to 1e6", plan.gigabytes_per_second);
  }
  if (plan.receive_buffers == 0) return fail("receive_buffers is 0; with none, nothing can be received");
  if (plan.control_buffers == 0) return fail("control_buffers is 0; with none, nothing can be acknowledged");
  return {};
}

Network::Network(const Plan& plan) : plan_(plan), random_(plan.seed) {}

void Network::attach(PeerId peer, transport::Endpoint& endpoint) {
  Node& node = nodes_[peer];
  node.endpoint = &endpoint;
  plan_work(peer, node, now_);
}

void Network::detach(PeerId peer) {
  const auto found = nodes_.find(peer);
  if (found == nodes_.end()) return;
  Node& node = found->second;
  for (const DatagramId datagram : node.data) discard(datagram);
  for (const DatagramId datagram : node.control) discard(datagram);
  if (node.in_hand != no_id) discard(node.in_hand);
  nodes_.erase(found);
}

void Network::wake(PeerId peer) {
  const auto found = nodes_.find(peer);
  if (found != nodes_.end()) plan_work(peer, found->second, now_);
}

bool Network::run_until(const std::function<bool()>& done, Time limit) {
  while (!done()) {
    if (!step(limit)) return false;
  }
  return true;
}

bool Network::step(Time limit) {
  if (happenings_.empty() || happenings_.top().when >= limit) return false;
  const Happening next = happenings_.top();
  happenings_.pop();
  now_ = next.when;
  if (next.datagram != no_id) {
    arrive(next.peer, next.datagram);
  } else if (const auto found = nodes_.find(next.peer); found != nodes_.end() && found->second.wakes_at == now_) {
    found->second.wakes_at = transport::never;
    work(next.peer);
  }
  return true;
}

/// A node has one time at which it wakes; an earlier one replaces it, and the replaced happening finds nothing to do.
void Network::plan_work(PeerId peer, Node& node, Time when) {
  when = std::max(when, now_);
  if (when == transport::never || when >= node.wakes_at) return;
  node.wakes_at = when;
  happenings_.push({when, planned_++, peer, no_id});
}

void Network::work(PeerId peer) {
  Node& node = nodes_[peer];
  if (node.busy_until > now_) return plan_work(peer, node, node.busy_until);
  if (node.in_hand != no_id) {
    const DatagramId handled = std::exchange(node.in_hand, no_id);
    node.endpoint->receive(now_, datagrams_[handled]);
    discard(handled);
  }
  const bool due = node.endpoint->next_deadline() <= now_;
  if (due && (node.handled_since_advance >= handled_at_once || (node.data.empty() && node.control.empty()))) {
    node.handled_since_advance = 0;
    node.endpoint->advance(now_);
  }
  if (send_one(peer, node) || handle_one(node)) return plan_work(peer, node, node.busy_until);
  plan_work(peer, node, node.endpoint->next_deadline());
}

bool Network::send_one(PeerId peer, Node& node) {
  if (node.uplink_free > now_) {
    plan_work(peer, node, node.uplink_free);
    return false;
  }
  const auto datagram = node.endpoint->next_packet(now_);
  if (!datagram) return false;
  node.busy_until = now_ + plan_.send_cost;
  transmit(peer, node, *datagram);
  return true;
}

bool Network::handle_one(Node& node) {
  std::deque<DatagramId>& queue = node.control.empty() ? node.data : node.control;
  if (queue.empty()) return false;
  node.in_hand = queue.front();
  queue.pop_front();
  ++node.handled_since_advance;
  node.busy_until = now_ + plan_.receive_cost;
  return true;
}

void Network::transmit(PeerId from, Node& sender, const transport::Datagram& datagram) {
  ++counters_.sent;
  const Duration on_link = time_on_link(datagram.header.size() + datagram.payload.size());
  Time arrival = sender.busy_until + on_link + plan_.latency;
  if (const auto found = nodes_.find(datagram.to); found != nodes_.end()) {
    arrival = std::max(arrival, found->second.downlink_free + on_link);
    found->second.downlink_free = arrival;
  }
  // While the receiver's link is busy, the datagram stands in the sender's.
  sender.uplink_free = arrival - plan_.latency;

  if (random_.fraction() < plan_.drop || in_black_hole(from) || in_black_hole(datagram.to)) {
    ++counters_.dropped;
    return;
  }
  launch(datagram.to, store(datagram), arrival);
  if (plan_.duplicate > 0 && random_.fraction() < plan_.duplicate) {
    ++counters_.duplicated;
    launch(datagram.to, store(datagram), arrival);
  }
}

void Network::launch(PeerId to, DatagramId datagram, Time when) {
  if (plan_.jitter.count() > 0) when += Duration(random_.below(static_cast<std::uint64_t>(plan_.jitter.count()) + 1));
  if (plan_.reorder > 0 && random_.fraction() < plan_.reorder) when += plan_.reorder_delay;
  happenings_.push({when, planned_++, to, datagram});
}

void Network::arrive(PeerId to, DatagramId datagram) {
  if (!nodes_.contains(to) && on_unattached_) on_unattached_(to);
  const auto found = nodes_.find(to);
  if (found == nodes_.end()) {
    ++counters_.unattached;
    return discard(datagram);
  }
  Node& node = found->second;
  const bool control = transport::is_control(datagrams_[datagram]);
  std::deque<DatagramId>& queue = control ? node.control : node.data;
  const bool in_hand = node.in_hand != no_id && transport::is_control(datagrams_[node.in_hand]) == control;
  if (queue.size() + in_hand >= (control ? plan_.control_buffers : plan_.receive_buffers)) {
    ++counters_.overflowed;
    return discard(datagram);
  }
  queue.push_back(datagram);
  plan_work(to, node, std::max(now_, node.busy_until));
}

bool Network::in_black_hole(PeerId peer) const {
  return std::ranges::any_of(plan_.black_holes, [&](const BlackHole& hole) {
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
  if (plan_.gigabytes_per_second <= 0) return Duration(0);
  return Duration(static_cast<std::int64_t>(static_cast<double>(bytes) / plan_.gigabytes_per_second));
}

}  // namespace ayatori::simulated
