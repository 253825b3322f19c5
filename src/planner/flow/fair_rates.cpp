#include "fair_rates.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace ayatori {

namespace {

/// What may be missing on a full constraint: each of its rates may be off by the tolerance.
constexpr double fullness = 1 - 10 * rate_tolerance;

bool same(double a, double b) { return std::abs(a - b) <= rate_tolerance * std::max(a, b); }
bool faster(double a, double b) { return a > b && !same(a, b); }

}  // namespace

FairRates::FairRates(std::vector<double> capacity, std::uint32_t queues)
    : constraints_(capacity.size()), queues_(queues) {
  for (std::size_t i = 0; i < capacity.size(); ++i) constraints_[i].capacity = capacity[i];
}

FlowId FairRates::free_id() {
  if (free_.empty()) {
    flows_.emplace_back();
    return static_cast<FlowId>(flows_.size() - 1);
  }
  const FlowId id = free_.back();
  free_.pop_back();
  return id;
}

FlowId FairRates::add(std::span<const Constraint> constraints) {
  const FlowId id = free_id();
  Flow& flow = flows_[id];
  flow.alive = true;
  flow.rate = 0;
  flow.bottleneck = nothing;
  flow.uses.clear();
  for (const Constraint constraint : constraints) {
    std::vector<User>& users = constraints_[constraint].users;
    const auto use = static_cast<std::uint32_t>(flow.uses.size());
    flow.uses.push_back({constraint, static_cast<std::uint32_t>(users.size())});
    users.push_back({id, use});
    relax(constraint);
  }
  added_.push_back(id);
  return id;
}

void FairRates::remove(FlowId id) {
  Flow& flow = flows_[id];
  for (const Use& use : flow.uses) {
    relax(use.constraint);
    std::vector<User>& users = constraints_[use.constraint].users;
    const User last = users.back();
    users[use.place] = last;
    flows_[last.flow].uses[last.use].place = use.place;
    users.pop_back();
  }
  if (flow.bottleneck != nothing) --constraints_[flow.bottleneck].limited;
  flow.bottleneck = nothing;
  flow.alive = false;
  free_.push_back(id);
}

void FairRates::relax(Constraint constraint) {
  State& state = constraints_[constraint];
  // If it limits no flow, no rate changes directly; grow() finds the flows that new ones slow down.
  if (state.relaxed || (state.limited == 0 && queues_ == 0)) return;
  state.relaxed = true;
  relaxed_.push_back(constraint);
}

void FairRates::touch(Constraint constraint) {
  State& state = constraints_[constraint];
  if (state.touched) return;
  state.touched = true;
  touched_.push_back(constraint);
}

void FairRates::join(FlowId id) {
  Flow& flow = flows_[id];
  if (flow.member) return;
  flow.member = true;
  members_.push_back(id);
  for (const Use& use : flow.uses) touch(use.constraint);
}

void FairRates::gather_members() {
  for (const FlowId flow : added_) {
    if (flows_[flow].alive) join(flow);
  }
  for (const Constraint constraint : relaxed_) {
    touch(constraint);
    for (const User& user : constraints_[constraint].users) {
      if (flows_[user.flow].bottleneck == constraint) join(user.flow);
    }
  }
}

void FairRates::gather_connected() {
  for (std::size_t i = 0; i < touched_.size(); ++i) {
    for (const User& user : constraints_[touched_[i]].users) join(user.flow);
  }
}

std::span<const FlowId> FairRates::update() {
  members_.clear();
  touched_.clear();
  changed_.clear();
  gather_members();
  if (queues_ != 0) gather_connected();
  do {
    fill();
  } while (queues_ == 0 && grow());
  commit();
  return changed_;
}

void FairRates::prepare(State& state) {
  double taken = 0;
  state.members = 0;
  for (const User& user : state.users) {
    const Flow& flow = flows_[user.flow];
    if (flow.member) {
      ++state.members;
    } else {
      taken += flow.rate;
    }
  }
  state.open = state.members;
  state.left = state.capacity - taken;
  state.level = not_full;
}

void FairRates::fill() {
  for (const FlowId id : members_) {
    flows_[id].frozen = false;
    flows_[id].held = 0;
  }
  candidates_.clear();
  for (const Constraint constraint : touched_) {
    State& state = constraints_[constraint];
    prepare(state);
    if (state.open != 0) candidates_.push_back({std::max(state.left, 0.0) / state.open, constraint});
  }
  const std::greater<> lowest_first;
  std::make_heap(candidates_.begin(), candidates_.end(), lowest_first);
  double level = 0;
  while (!candidates_.empty()) {
    std::pop_heap(candidates_.begin(), candidates_.end(), lowest_first);
    Candidate& lowest = candidates_.back();
    const State& state = constraints_[lowest.constraint];
    if (state.open == 0) {
      candidates_.pop_back();
      continue;
    }
    // Levels only rise while others fill up, so that an outdated one is always met too early.
    const double now = std::max(state.left, 0.0) / state.open;
    if (faster(now, lowest.level)) {
      lowest.level = now;
      std::push_heap(candidates_.begin(), candidates_.end(), lowest_first);
      continue;
    }
    if (faster(now, level)) level = now;
    const Constraint constraint = lowest.constraint;
    candidates_.pop_back();
    saturate(constraint, level);
  }
}

void FairRates::saturate(Constraint constraint, double level) {
  State& state = constraints_[constraint];
  state.level = level;
  for (const User& user : state.users) {
    Flow& flow = flows_[user.flow];
    if (!flow.member) continue;
    if (!flow.frozen) freeze(flow, constraint, level);
    if (queues_ != 0 && flow.filled == level) held_.push_back({user.flow, user.use});
  }
  hold_up(level);
}

void FairRates::freeze(Flow& flow, Constraint bottleneck, double level) {
  flow.frozen = true;
  flow.filled = level;
  flow.next_bottleneck = bottleneck;
  for (const Use& use : flow.uses) {
    State& state = constraints_[use.constraint];
    state.left -= level;
    --state.open;
  }
}

void FairRates::hold_up(double level) {
  while (!held_.empty()) {
    const auto [id, uses] = held_.back();
    held_.pop_back();
    Flow& flow = flows_[id];
    for (; flow.held < uses; ++flow.held) {
      const Constraint link = flow.uses[flow.held].constraint;
      if (link >= queues_) continue;
      for (const User& user : constraints_[link].users) {
        Flow& behind = flows_[user.flow];
        if (behind.frozen && behind.filled != level) continue;
        if (!behind.frozen) freeze(behind, flow.next_bottleneck, level);
        held_.push_back({user.flow, user.use + 1});
      }
    }
  }
}

bool FairRates::grow() {
  bool grown = false;
  const std::size_t filled = touched_.size();
  for (std::size_t i = 0; i < filled; ++i) {
    if (grow_at(touched_[i])) grown = true;
  }
  return grown;
}

bool FairRates::grow_at(Constraint constraint) {
  const State& state = constraints_[constraint];
  if (state.members == state.users.size()) return false;
  double used = 0;
  double fastest = 0;
  for (const User& user : state.users) {
    const Flow& flow = flows_[user.flow];
    // A flow that joined during this grow(), at another constraint, still has its old rate.
    const double rate = flow.member && flow.frozen ? flow.filled : flow.rate;
    used += rate;
    if (flow.member && flow.frozen) fastest = std::max(fastest, rate);
  }
  const bool full = used >= state.capacity * fullness;
  bool grown = false;
  for (const User& user : state.users) {
    const Flow& flow = flows_[user.flow];
    if (flow.member) continue;
    const bool too_fast = faster(flow.rate, state.level);
    const bool too_slow = flow.bottleneck == constraint && (!full || faster(fastest, flow.rate));
    if (!too_fast && !too_slow) continue;
    join(user.flow);
    grown = true;
  }
  return grown;
}

void FairRates::commit() {
  for (const FlowId id : members_) {
    Flow& flow = flows_[id];
    if (flow.bottleneck != nothing) --constraints_[flow.bottleneck].limited;
    flow.bottleneck = flow.next_bottleneck;
    ++constraints_[flow.bottleneck].limited;
    flow.member = false;
    flow.frozen = false;
    if (same(flow.rate, flow.filled)) continue;
    flow.rate = flow.filled;
    changed_.push_back(id);
  }
  for (const Constraint constraint : touched_) constraints_[constraint].touched = false;
  for (const Constraint constraint : relaxed_) constraints_[constraint].relaxed = false;
  added_.clear();
  relaxed_.clear();
}

}  // namespace ayatori
