#include "traffic.hpp"

#include <algorithm>
#include <cmath>

namespace ayatori {

Traffic::Traffic(const Resources& resources, const FlowOptions& options)
    : resources_(resources),
      rates_(resources.capacity(), options.head_of_line ? static_cast<std::uint32_t>(resources.link_count()) : 0),
      processor_free_from_(resources.participant_count(), 0),
      outlet_free_from_(resources.outlet_count(), 0),
      buckets_(resources.nic_count()),
      link_bytes_(resources.link_count(), 0),
      saturated_(resources.link_count(), 0),
      saturated_since_(resources.link_count(), -1) {
  if (resources.ranks_share_cores()) {
    core_queues_.assign(resources.machine_count(), {.idle_cores = resources.cores()});
    has_core_.assign(resources.participant_count(), false);
  }
  begin_background();
  if (options.packets) packets_ = std::make_unique<PacketFabric>(resources.capacity(), *options.packets);
  if (packets_ || !resources.splits_by_load()) return;
  adaptive_ = std::make_unique<AdaptiveRates>(resources.capacity());
  carried_.assign(resources.capacity().size(), 0);
}

bool Traffic::send(Rank from, Rank to, Bytes bytes, Token token, double seconds) {
  const std::uint32_t parts = resources_.splits_by_load() ? 1 : resources_.part_count(from, to, bytes);
  const MessageNumber message = number_for({token, from, to, bytes, parts});
  if (resources_.splits_by_load()) {
    send_by_load(message, bytes, seconds);
    return route_.within_machine;
  }
  for (std::uint32_t part = 0; part < parts; ++part) {
    send_part(message, part, bytes_of_part(bytes, parts, part), seconds);
  }
  return route_.within_machine;
}

Traffic::MessageNumber Traffic::number_for(const SentMessage& message) {
  if (free_messages_.empty()) {
    messages_.push_back(message);
    return static_cast<MessageNumber>(messages_.size() - 1);
  }
  const MessageNumber number = free_messages_.back();
  free_messages_.pop_back();
  messages_[number] = message;
  return number;
}

void Traffic::send_part(MessageNumber message, std::uint32_t part, Bytes bytes, double seconds) {
  const SentMessage& sent = messages_[message];
  resources_.find_route(sent.from, sent.to, sent.bytes, part, route_);
  for (const Constraint link : route_.path.links) link_bytes_[link] += bytes;
  wait_and_flow(message, part, bytes, route_.delay + seconds);
}

void Traffic::wait_and_flow(MessageNumber message, std::uint32_t part, Bytes bytes, double delay) {
  const SentMessage& sent = messages_[message];
  const Bytes flowing = route_.shared.empty() ? 0 : resources_.flowing(sent.from, sent.to, sent.bytes, bytes);
  if (delay == 0 && flowing != 0) {
    begin_flow(flowing, message, part);
  } else {
    timers_.push({now_ + delay, timers_made_++, 0, message, part, flowing});
  }
}

/// Its packets wait for the longest of its paths.
void Traffic::send_by_load(MessageNumber message, Bytes bytes, double seconds) {
  const auto [token, from, to, size, left] = messages_[message];
  double longest = 0;
  const std::uint32_t paths = resources_.part_count(from, to, std::max<Bytes>(bytes, 1U << 31U));
  for (std::uint32_t path = 0; path < paths; ++path) {
    resources_.find_route(from, to, size, path, route_);
    longest = std::max(longest, route_.delay);
  }
  wait_and_flow(message, 0, bytes, longest + seconds);
}

/// Of what flows of a message or its part, whose route is `route_`; by load over all of the message's routes.
FlowId Traffic::add_flow(const SentMessage& message, double bytes) {
  const auto whole = static_cast<Bytes>(std::ceil(bytes));
  if (!resources_.splits_by_load()) {
    return packets_ ? packets_->add({{route_.shared}}, whole) : rates_.add(route_.shared);
  }
  std::vector<std::vector<Constraint>> paths;
  const std::uint32_t count = resources_.part_count(message.from, message.to, Bytes{1} << 31U);
  for (std::uint32_t path = 0; path < count; ++path) {
    resources_.find_route(message.from, message.to, message.bytes, path, route_);
    paths.push_back(route_.shared);
  }
  return packets_ ? packets_->add(paths, whole) : adaptive_->add(std::move(paths));
}

/// Notes what has flowed at the present rates.
void Traffic::carry() {
  if (!adaptive_) return;
  adaptive_->carry(now_ - carried_until_, carried_);
  carried_until_ = now_;
}

std::vector<Bytes> Traffic::link_bytes() const {
  if (!resources_.splits_by_load()) return link_bytes_;
  if (packets_) return {packets_->carried().begin(), packets_->carried().begin() + link_bytes_.size()};
  std::vector<Bytes> bytes;
  for (std::size_t link = 0; link < link_bytes_.size(); ++link) {
    bytes.push_back(static_cast<Bytes>(std::llround(carried_[link])));
  }
  return bytes;
}

bool Traffic::send_paced(Rank from, Rank to, Bytes bytes, Token token) {
  double wait = resources_.rendezvous_delay(from, to, bytes);
  const double gap = resources_.gap(from, to, bytes);
  if (gap > 0) {
    double& free_from = outlet_free_from_[resources_.outlet(from, to)];
    const double at = std::max(free_from, now_);
    free_from = at + gap;
    wait += at - now_;
  }
  return send(from, to, bytes, token, wait);
}

void Traffic::occupy(Rank rank, double seconds, Token token) {
  if (resources_.shares_core(rank)) {
    core_queues_[resources_.machine(rank)].waiting.push_back({rank, seconds, token});
    give_cores(resources_.machine(rank));
    return;
  }
  double& free_from = processor_free_from_[rank];
  free_from = std::max(free_from, now_) + seconds;
  start_timer(free_from - now_, token);
}

/// To those that wait, if they have none already.
void Traffic::give_cores(std::uint32_t machine) {
  auto& [idle_cores, waiting] = core_queues_[machine];
  std::size_t left = 0;
  for (const CoreQueue::Operation& asked : waiting) {
    if (idle_cores == 0 || has_core_[asked.rank]) {
      waiting[left++] = asked;
      continue;
    }
    --idle_cores;
    has_core_[asked.rank] = true;
    Timer timer{now_ + asked.seconds, timers_made_++, asked.token};
    timer.rank = asked.rank;
    timers_.push(timer);
  }
  waiting.resize(left);
}

void Traffic::start_timer(double seconds, Token token) { timers_.push({now_ + seconds, timers_made_++, token}); }

Connection Traffic::connection_of(MessageNumber message, std::uint32_t part) const {
  return {messages_[message].from, messages_[message].to, part};
}

void Traffic::begin_flow(Bytes bytes, MessageNumber message, std::uint32_t part) {
  if (!resources_.in_order()) {
    flow(bytes, message, part);
    return;
  }
  const Connection connection = connection_of(message, part);
  if (!queues_.begin(connection, {message, bytes})) return;
  if (!flow(bytes, message, part)) begin_next_flow(connection);
}

void Traffic::begin_next_flow(const Connection& connection) {
  while (const auto next = queues_.end(connection)) {
    resources_.find_route(connection.from, connection.to, messages_[next->message].bytes, connection.part, route_);
    if (flow(next->bytes, next->message, connection.part)) return;
  }
}

bool Traffic::flow(Bytes bytes, MessageNumber message, std::uint32_t part) {
  const std::uint32_t from_nic = route_.within_machine ? no_id : route_.path.from_nic;
  const std::uint32_t to_nic = route_.within_machine ? no_id : route_.path.to_nic;
  const double left = buckets_.begin(from_nic, to_nic, bytes, buckets_of(message), now_);
  if (left == 0) {
    timers_.push({now_, timers_made_++, 0, message, part, 0});
    return false;
  }
  const FlowId id = add_flow(messages_[message], left);
  if (flows_.size() <= id) flows_.resize(id + 1);
  flows_[id] = {message, part, left, now_, 0, from_nic, to_nic};
  return true;
}

BucketSize Traffic::buckets_of(MessageNumber message) const {
  const SentMessage& sent = messages_[message];
  return resources_.buckets(sent.from, sent.to, sent.bytes);
}

void Traffic::begin_background() {
  for (const auto& constraints : resources_.background()) {
    const FlowId id = rates_.add(constraints);
    if (flows_.size() <= id) flows_.resize(id + 1);
    flows_[id].message = no_id;
  }
}

void Traffic::finish_part(MessageNumber message, std::vector<Token>& completed) {
  if (--messages_[message].parts_left != 0) return;
  completed.push_back(messages_[message].token);
  free_messages_.push_back(message);
}

bool Traffic::advance(std::vector<Token>& completed) {
  completed.clear();
  while (completed.empty()) {
    const double first_timer = timers_.empty() ? std::numeric_limits<double>::infinity() : timers_.top().time;
    const double next = std::min(first_timer, first_end(first_timer));
    if (next == std::numeric_limits<double>::infinity()) return false;
    now_ = std::max(now_, next);
    carry();
    const double until = now_ * (1 + time_tolerance);
    finish_flows(until, completed);
    finish_timers(until, completed);
  }
  return true;
}

void Traffic::update_rates() {
  if (!with_rates([](auto& rates) { return rates.needs_update(); })) return;
  with_rates([&](auto& rates) {
    for (const FlowId id : rates.update()) {
      Flow& flow = flows_[id];
      if (flow.message == no_id) continue;
      flow.left = std::max(0.0, flow.left - flow.rate * (now_ - flow.since));
      flow.since = now_;
      flow.rate = rates.rate(id);
      ends_.set(id, now_ + flow.left / flow.rate);
    }
  });
  note_saturation();
}

void Traffic::note_saturation() {
  with_rates([&](const auto& rates) {
    for (const Constraint link : rates.touched()) {
      if (link >= saturated_.size()) continue;
      const bool was = saturated_since_[link] >= 0;
      if (was == rates.limits(link)) continue;
      if (was) saturated_[link] += now_ - saturated_since_[link];
      saturated_since_[link] = was ? -1 : now_;
    }
  });
}

/// When the first flow ends; of packets only, if it ends before that.
double Traffic::first_end(double before) {
  if (packets_) return packets_->advance(now_, before);
  update_rates();
  return ends_.first_time();
}

/// One of the flows that end now.
std::optional<FlowId> Traffic::take_end(double until) {
  if (packets_) return packets_->take_arrived();
  if (ends_.first_time() > until) return std::nullopt;
  const FlowId id = ends_.first();
  ends_.erase(id);
  with_rates([&](auto& rates) { rates.remove(id); });
  return id;
}

void Traffic::finish_flows(double until, std::vector<Token>& completed) {
  while (const auto id = take_end(until)) {
    const Flow& flow = flows_[*id];
    const Connection connection = connection_of(flow.message, flow.part);
    buckets_.end(flow.from_nic, flow.to_nic, buckets_of(flow.message), now_);
    finish_part(flow.message, completed);
    if (resources_.in_order()) begin_next_flow(connection);
  }
}

void Traffic::finish_timers(double until, std::vector<Token>& completed) {
  while (!timers_.empty() && timers_.top().time <= until) {
    const Timer timer = timers_.top();
    timers_.pop();
    if (timer.message == no_id) {
      completed.push_back(timer.token);
      if (timer.rank == no_id) continue;
      has_core_[timer.rank] = false;
      const std::uint32_t machine = resources_.machine(timer.rank);
      ++core_queues_[machine].idle_cores;
      give_cores(machine);
    } else if (timer.bytes == 0) {
      finish_part(timer.message, completed);
    } else {
      const SentMessage& message = messages_[timer.message];
      resources_.find_route(message.from, message.to, message.bytes, timer.part, route_);
      begin_flow(timer.bytes, timer.message, timer.part);
    }
  }
}

Result<> Traffic::check_packets() const {
  if (!packets_ || packets_->empty()) return {};
  const auto cycle = packets_->cycle();
  return with_cause(fail("packets wait for each other, and none can go on"),
                    fmt::format("the buffers of {} links are full in a cycle, from {} on", cycle.size(),
                                cycle.empty() ? "?" : resources_.name(cycle.front())));
}

std::vector<double> Traffic::saturated_seconds() const {
  if (packets_) return {packets_->waited().begin(), packets_->waited().begin() + link_bytes_.size()};
  std::vector<double> seconds = saturated_;
  for (std::size_t link = 0; link < seconds.size(); ++link) {
    if (saturated_since_[link] >= 0) seconds[link] += now_ - saturated_since_[link];
  }
  return seconds;
}

}  // namespace ayatori
