#include "adaptive_rates.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ayatori {

namespace {

constexpr double no_limit = std::numeric_limits<double>::infinity();

/// Costs that differ by less are equal, and less of a flow's packets is none.
constexpr double cost_tolerance = 1e-9;
constexpr double least_share = 1e-9;

constexpr int max_sweeps = 200;
constexpr int bisections = 40;

/// k = 2^doublings: first a soft minimum, from which the sharp one is near.
constexpr unsigned soft = 2;
constexpr unsigned sharp = 5;

double power(double base, unsigned doublings) {
  for (; doublings > 0; --doublings) base *= base;
  return base;
}

bool has(const std::vector<Constraint>& path, Constraint constraint) {
  return std::find(path.begin(), path.end(), constraint) != path.end();
}

}  // namespace

AdaptiveRates::AdaptiveRates(std::vector<double> capacity) : states_(capacity.size()) {
  for (std::size_t i = 0; i < capacity.size(); ++i) states_[i].capacity = capacity[i];
}

FlowId AdaptiveRates::add(std::vector<std::vector<Constraint>> paths) {
  if (free_.empty()) {
    free_.push_back(static_cast<FlowId>(flows_.size()));
    flows_.emplace_back();
  }
  const FlowId id = free_.back();
  free_.pop_back();
  Flow flow;
  flow.shares.assign(paths.size(), 1.0 / static_cast<double>(paths.size()));
  for (const Constraint constraint : paths.front()) {
    const bool in_all =
        std::all_of(paths.begin(), paths.end(), [&](const auto& path) { return has(path, constraint); });
    if (in_all) flow.common.push_back(constraint);
  }
  flow.paths = std::move(paths);
  flow.alive = true;
  flows_[id] = std::move(flow);
  changed_since_update_ = true;
  return id;
}

void AdaptiveRates::remove(FlowId flow) {
  flows_[flow].alive = false;
  free_.push_back(flow);
  changed_since_update_ = true;
}

std::span<const FlowId> AdaptiveRates::update() {
  gather();
  offer();
  balance();
  fill();
  changed_since_update_ = false;
  return changed_;
}

/// Flows that are alive, and the constraints of these and of those that were before.
void AdaptiveRates::gather() {
  const auto touch = [&](Constraint constraint) {
    if (!states_[constraint].active) touched_.push_back(constraint);
    states_[constraint].active = true;
  };
  std::vector<Constraint> before;
  for (const Constraint constraint : touched_) {
    states_[constraint].active = false;
    if (states_[constraint].limits) before.push_back(constraint);
  }
  touched_.clear();
  alive_.clear();
  for (FlowId id = 0; id < flows_.size(); ++id) {
    if (!flows_[id].alive) continue;
    alive_.push_back(id);
    for (const auto& path : flows_[id].paths) std::for_each(path.begin(), path.end(), touch);
  }
  std::for_each(before.begin(), before.end(), touch);
}

/// Progressive filling: the rate of each flow by its uses. Sets State::limits.
std::vector<double> AdaptiveRates::filled(const std::vector<std::vector<Use>>& uses) {
  for (const Constraint constraint : touched_) {
    State& state = states_[constraint];
    state.load = state.open = 0;
    state.limits = false;
  }
  for (const auto& flow : uses) {
    for (const auto& [constraint, share] : flow) states_[constraint].open += share;
  }
  std::vector<double> rates(uses.size(), -1);
  const auto level_of = [&](const State& state) {
    return state.open > least_share ? std::max(0.0, state.capacity - state.load) / state.open : no_limit;
  };
  for (std::size_t frozen = 0; frozen < uses.size();) {
    double level = no_limit;
    for (const Constraint constraint : touched_) level = std::min(level, level_of(states_[constraint]));
    const double most = level * (1 + rate_tolerance);
    for (const Constraint constraint : touched_) {
      if (level_of(states_[constraint]) <= most) states_[constraint].limits = true;
    }
    const std::size_t before = frozen;
    for (std::size_t flow = 0; flow < uses.size(); ++flow) {
      const auto full = [&](const Use& use) { return states_[use.constraint].limits; };
      if (rates[flow] >= 0 || std::none_of(uses[flow].begin(), uses[flow].end(), full)) continue;
      rates[flow] = level;
      ++frozen;
      for (const auto& [constraint, share] : uses[flow]) {
        states_[constraint].load += share * level;
        states_[constraint].open -= share;
      }
    }
    if (frozen == before) break;  // what is left uses no constraint
  }
  return rates;
}

void AdaptiveRates::offer() {
  std::vector<std::vector<Use>> uses;
  for (const FlowId id : alive_) {
    std::vector<Use>& common = uses.emplace_back();
    for (const Constraint constraint : flows_[id].common) common.push_back({constraint, 1});
  }
  const std::vector<double> offered = filled(uses);
  for (std::size_t i = 0; i < alive_.size(); ++i) flows_[alive_[i]].offered = offered[i];
}

void AdaptiveRates::balance() {
  for (const Constraint constraint : touched_) states_[constraint].load = 0;
  for (const FlowId id : alive_) {
    const Flow& flow = flows_[id];
    for (std::size_t path = 0; path < flow.paths.size(); ++path)
      add_load(flow.paths[path], flow.offered * flow.shares[path]);
  }
  for (const unsigned doublings : {soft, sharp}) {
    for (int sweep = 0; sweep < max_sweeps; ++sweep) {
      double moved = 0;
      for (const FlowId id : alive_) moved = std::max(moved, balance_flow(flows_[id], doublings));
      if (moved < least_share) break;
    }
  }
}

void AdaptiveRates::add_load(const std::vector<Constraint>& path, double load) {
  for (const Constraint constraint : path) states_[constraint].load += load;
}

/// Moves packets of one flow from its dearest path to its cheapest. Returns the share that moved.
double AdaptiveRates::balance_flow(Flow& flow, unsigned doublings) {
  if (flow.paths.size() < 2) return 0;
  std::size_t cheapest = 0;
  std::size_t dearest = 0;
  double least = no_limit;
  double most = -1;
  for (std::size_t path = 0; path < flow.paths.size(); ++path) {
    const double now = cost(flow.paths[path], {}, 0, doublings);
    if (now < least) {
      least = now;
      cheapest = path;
    }
    if (flow.shares[path] > 0 && now > most) {
      most = now;
      dearest = path;
    }
  }
  if (most <= least * (1 + cost_tolerance)) return 0;
  return shift(flow, dearest, cheapest, doublings);
}

double AdaptiveRates::shift(Flow& flow, std::size_t from, std::size_t to, unsigned doublings) {
  const auto dearer_after = [&](double share) {
    return cost(flow.paths[from], flow.paths[to], -share * flow.offered, doublings) >
           cost(flow.paths[to], flow.paths[from], share * flow.offered, doublings);
  };
  double all = flow.shares[from];
  double moved = all;
  if (!dearer_after(all)) {
    double enough = all;
    moved = 0;
    for (int i = 0; i < bisections; ++i) {
      const double middle = (moved + enough) / 2;
      (dearer_after(middle) ? moved : enough) = middle;
    }
    if (all - moved < least_share) moved = all;
  }
  flow.shares[from] = moved == all ? 0 : all - moved;
  flow.shares[to] += moved;
  add_load(flow.paths[from], -moved * flow.offered);
  add_load(flow.paths[to], moved * flow.offered);
  return moved;
}

/// Of the constraints of a path that `other` has not, with so much more load on each.
double AdaptiveRates::cost(const std::vector<Constraint>& path, const std::vector<Constraint>& other, double more,
                           unsigned doublings) const {
  double sum = 0;
  for (const Constraint constraint : path) {
    if (has(other, constraint)) continue;
    const State& state = states_[constraint];
    sum += power(std::max(0.0, state.load + more) / state.capacity, doublings);
  }
  return sum;
}

void AdaptiveRates::fill() {
  std::vector<std::vector<Use>> uses;
  for (const FlowId id : alive_) uses.push_back(uses_of(flows_[id]));
  const std::vector<double> rates = filled(uses);
  changed_.clear();
  for (std::size_t i = 0; i < alive_.size(); ++i) {
    Flow& flow = flows_[alive_[i]];
    if (std::abs(rates[i] - flow.rate) <= rate_tolerance * rates[i]) continue;
    flow.rate = rates[i];
    changed_.push_back(alive_[i]);
  }
}

std::vector<AdaptiveRates::Use> AdaptiveRates::uses_of(const Flow& flow) {
  std::vector<Use> uses;
  for (std::size_t path = 0; path < flow.paths.size(); ++path) {
    if (flow.shares[path] == 0) continue;
    for (const Constraint constraint : flow.paths[path]) uses.push_back({constraint, flow.shares[path]});
  }
  std::sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) { return a.constraint < b.constraint; });
  std::size_t last = 0;
  for (std::size_t i = 1; i < uses.size(); ++i) {
    if (uses[i].constraint == uses[last].constraint) {
      uses[last].share += uses[i].share;
    } else {
      uses[++last] = uses[i];
    }
  }
  uses.resize(uses.empty() ? 0 : last + 1);
  return uses;
}

void AdaptiveRates::carry(double seconds, std::vector<double>& bytes) const {
  for (const FlowId id : alive_) {
    const Flow& flow = flows_[id];
    if (!flow.alive) continue;
    for (std::size_t path = 0; path < flow.paths.size(); ++path) {
      const double carried = flow.rate * flow.shares[path] * seconds;
      for (const Constraint constraint : flow.paths[path]) bytes[constraint] += carried;
    }
  }
}

}  // namespace ayatori
