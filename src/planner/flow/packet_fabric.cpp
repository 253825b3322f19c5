#include "packet_fabric.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace ayatori {

PacketFabric::PacketFabric(std::span<const double> rates, const PacketOptions& options)
    : options_(options),
      random_(options.seed),
      links_(rates.size()),
      waited_(rates.size(), 0),
      carried_(rates.size(), 0) {
  slots_.resize(rates.size() * options.buffer);
  std::map<double, std::uint32_t> lanes;
  for (std::size_t link = 0; link < rates.size(); ++link) {
    const auto [lane, is_new] = lanes.try_emplace(rates[link], static_cast<std::uint32_t>(lanes_.size()));
    if (is_new) new_lane(PacketOptions::mtu / rates[link]);
    links_[link].rate = rates[link];
    links_[link].lane = lane->second;
    links_[link].free = options.buffer;
  }
}

FlowId PacketFabric::add(std::span<const std::vector<Constraint>> paths, Bytes bytes) {
  if (free_messages_.empty()) {
    messages_.emplace_back();
    free_messages_.push_back(static_cast<FlowId>(messages_.size() - 1));
  }
  const FlowId id = free_messages_.back();
  free_messages_.pop_back();
  Message& message = messages_[id];
  message.hops.clear();
  for (const auto& path : paths) add_path(path, message.hops);
  message.unsent = message.arriving = bytes;
  ++under_way_;
  ask(static_cast<Asker>(links_.size() + id), message.hops.front().link);
  return id;
}

void PacketFabric::add_path(std::span<const Constraint> path, std::vector<Hop>& hops) {
  std::uint32_t before = no_id;
  for (const Constraint link : path) {
    const std::uint32_t first = before != no_id ? hops[before].next : hops.empty() ? no_id : 0;
    std::uint32_t hop = first;
    while (hop != no_id && hops[hop].link != link) hop = hops[hop].other;
    if (hop == no_id) {
      hop = static_cast<std::uint32_t>(hops.size());
      hops.push_back({link, no_id, first});
      if (before != no_id) hops[before].next = hop;
    }
    before = hop;
  }
}

double PacketFabric::advance(double now, double until) {
  now_ = std::max(now_, now);
  while (true) {
    settle();
    if (first_ends_.first_time() > until || first_ends_.empty()) return std::numeric_limits<double>::infinity();
    now_ = std::max(now_, first_ends_.first_time());
    while (first_ends_.first_time() <= now_) {
      const std::uint32_t lane = first_ends_.first();
      auto& ends = lanes_[lane].ends;
      const Constraint link = ends.front().link;
      ends.pop_front();
      ends.empty() ? first_ends_.erase(lane) : first_ends_.set(lane, ends.front().time);
      end_packet(link);
    }
    if (!arrived_.empty()) return now_;
  }
}

std::optional<FlowId> PacketFabric::take_arrived() {
  if (arrived_.empty()) return std::nullopt;
  const FlowId id = arrived_.back();
  arrived_.pop_back();
  free_messages_.push_back(id);
  --under_way_;
  return id;
}

/// Something about the link has changed, so that it may be able to take a packet.
void PacketFabric::touch(Constraint link) {
  if (links_[link].is_touched) return;
  links_[link].is_touched = true;
  touched_.push_back(link);
}

/// Links choose among the packets that are there. Those that set off come to the next switch when all links have
/// chosen, and then that may choose, too.
void PacketFabric::settle() {
  while (!touched_.empty()) {
    choosing_.swap(touched_);
    for (const Constraint link : choosing_) {
      links_[link].is_touched = false;
      use(link);
    }
    choosing_.clear();
    for (const Constraint link : set_off_) queue(link);
    set_off_.clear();
  }
}

/// Takes one of the packets that ask for the link, if it can.
void PacketFabric::use(Constraint id) {
  Link& link = links_[id];
  if (link.is_busy || link.free == 0 || link.asking.empty()) return;
  const std::size_t chosen = link.asking.size() == 1 ? 0 : random_.below(link.asking.size());
  link.from = link.asking[chosen];
  link.asks_again = take(link.from, link.packet);
  if (!link.asks_again) {
    link.asking[chosen] = link.asking.back();
    link.asking.pop_back();
  }
  link.is_busy = true;
  link.waited_since = now_;
  --link.free;
  const std::uint32_t lane = lane_of(link, link.packet.bytes);
  auto& ends = lanes_[lane].ends;
  ends.push_back({now_ + lanes_[lane].seconds, id});
  if (ends.size() == 1) first_ends_.set(lane, ends.front().time);
  if (link.packet.next != no_id && cuts_through(id, link.packet.next)) set_off_.push_back(id);
}

/// The next packet of one that asks, on its way over the next link. Returns whether there is another one.
bool PacketFabric::take(Asker asker, Packet& packet) {
  if (is_link(asker)) {
    packet = front(asker);
    --links_[packet.next].coming;
    packet.hop = packet.next_hop;
    choose_next(packet);
    return false;
  }
  const auto id = static_cast<FlowId>(asker - links_.size());
  Message& message = messages_[id];
  packet = {.message = id, .bytes = static_cast<std::uint32_t>(std::min(PacketOptions::mtu, message.unsent))};
  message.unsent -= packet.bytes;
  choose_next(packet);
  return message.unsent > 0;
}

/// Where a packet goes on from the switch that it comes to: over the link with the fewest packets before and behind it.
void PacketFabric::choose_next(Packet& packet) {
  const auto& hops = messages_[packet.message].hops;
  packet.next_hop = hops[packet.hop].next;
  packet.next = no_id;
  if (packet.next_hop == no_id) return;
  std::uint32_t equal = 1;
  for (std::uint32_t hop = hops[packet.next_hop].other; hop != no_id; hop = hops[hop].other) {
    const std::uint32_t other = load(hops[hop].link);
    const std::uint32_t least = load(hops[packet.next_hop].link);
    if (other < least) equal = 0;
    if (other <= least && random_.below(++equal) == 0) packet.next_hop = hop;
  }
  packet.next = hops[packet.next_hop].link;
  ++links_[packet.next].coming;
}

/// The last byte of a packet has left the link.
void PacketFabric::end_packet(Constraint id) {
  Link& link = links_[id];
  link.is_busy = false;
  carried_[id] += link.packet.bytes;
  if (link.has_others()) waited_[id] += now_ - link.waited_since;
  touch(id);
  if (is_link(link.from)) {
    Link& before = links_[link.from];
    before.head = in_ring(before.head + 1);
    ++before.free;
    touch(link.from);
    if (--before.queued > 0) ask(link.from, front(link.from).next);
  }
  if (link.packet.next == no_id) {
    ++link.free;
    Message& message = messages_[link.packet.message];
    message.arriving -= link.packet.bytes;
    if (message.arriving == 0) arrived_.push_back(link.packet.message);
  } else if (!cuts_through(id, link.packet.next)) {
    queue(id);
  }
}

/// The packet of the link comes to the buffer at its end.
void PacketFabric::queue(Constraint id) {
  Link& link = links_[id];
  slot(id, link.queued) = link.packet;
  if (++link.queued == 1) ask(id, link.packet.next);
}

void PacketFabric::ask(Asker asker, Constraint id) {
  Link& link = links_[id];
  if (!link.has_others()) link.waited_since = now_;
  link.asking.push_back(asker);
  touch(id);
}

std::uint32_t PacketFabric::lane_of(const Link& link, std::uint32_t bytes) {
  if (bytes == PacketOptions::mtu) return link.lane;
  const std::uint64_t key = (std::uint64_t{link.lane} << 32U) | bytes;
  const auto [found, is_new] = short_lanes_.try_emplace(key, static_cast<std::uint32_t>(lanes_.size()));
  return is_new ? new_lane(bytes / link.rate) : found->second;
}

std::uint32_t PacketFabric::new_lane(double seconds) {
  lanes_.push_back({.seconds = seconds});
  return static_cast<std::uint32_t>(lanes_.size() - 1);
}

std::vector<Constraint> PacketFabric::cycle() const {
  std::vector<Constraint> chain;
  std::vector<bool> is_in_chain(links_.size(), false);
  // A packet waits for a link without credits, whose buffer has a packet at its head that waits for another one.
  const auto is_full = [](const Link& link) { return link.free == 0; };
  const auto first = std::ranges::find_if(links_, is_full);
  if (first == links_.end()) return chain;
  auto link = static_cast<Constraint>(first - links_.begin());
  for (; !is_in_chain[link] && is_full(links_[link]); link = front(link).next) {
    is_in_chain[link] = true;
    chain.push_back(link);
  }
  const auto again = std::ranges::find(chain, link);
  return {again, chain.end()};
}

}  // namespace ayatori
