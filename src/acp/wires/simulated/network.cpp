#include "ayatori/simulated/network.hpp"

#include <algorithm>

namespace ayatori::simulated {

namespace {

/// So many datagrams may be handled before due timers, however many wait.
constexpr std::uint32_t handled_at_once = 16;

/// InfiniBand's switches grant room in blocks of so many bytes (Architecture Specification 1, section 7.9).
constexpr std::size_t credit_block = 64;

std::size_t room_for(std::size_t bytes) { return (bytes + credit_block - 1) / credit_block * credit_block; }

}  // namespace

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
  const bool control = &queue == &machine.control;
  machine.busy_until =
      now_ + (control ? scenario_.receive_cost : receive_time(scenario_, datagrams_[machine.in_hand].size()));
  return true;
}

void Network::transmit(PeerId from, Machine& sender, const transport::Datagram& datagram) {
  ++counters_.sent;
  const std::size_t bytes = datagram.header.size() + datagram.payload.size();
  const Time sent = sender.busy_until + time_on_link(scenario_, bytes);
  Time arrival = sent + scenario_.latency;
  if (const auto found = machines_.find(datagram.to); found != machines_.end()) {
    arrival = std::max(arrival, found->second.downlink_free + arrival_spacing(scenario_, bytes));
    found->second.downlink_free = arrival;
  }
  sender.uplink_free = enter_fabric(sender, {arrival - scenario_.latency, room_for(bytes)}, sent);

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

/// While the receiver's link is busy, datagrams stand in the switches, and further ones in the sender's link. Returns
/// when that is free.
Time Network::enter_fabric(Machine& sender, InFabric datagram, Time sent) const {
  sender.in_fabric.push_back(datagram);
  sender.fabric_bytes += datagram.bytes;
  Time free = sent;
  while (!sender.in_fabric.empty()) {
    const InFabric& oldest = sender.in_fabric.front();
    if (oldest.leaves > free && sender.fabric_bytes <= scenario_.fabric_bytes) break;
    free = std::max(free, oldest.leaves);
    sender.fabric_bytes -= oldest.bytes;
    sender.in_fabric.pop_front();
  }
  return free;
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

}  // namespace ayatori::simulated
