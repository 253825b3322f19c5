#include "router_order.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <queue>
#include <tuple>

namespace ayatori {

namespace {

constexpr std::size_t max_starts_per_level = 16;

/// A router that is cabled to one in the order.
struct Candidate {
  bool is_idle;
  std::uint8_t level;
  std::uint32_t distance;  // from the start
  std::size_t degree;
  DeviceId router;

  /// Later in the queue: idle, lower, farther, with fewer neighbours, of a greater id.
  friend bool operator<(const Candidate& a, const Candidate& b) {
    return std::tuple(b.is_idle, a.level, b.distance, a.degree, b.router) <
           std::tuple(a.is_idle, b.level, a.distance, b.degree, a.router);
  }
};

/// Idle neighbours do not count.
std::size_t degree(DeviceId router, const RouterGraph& graph, const Levels& levels) {
  return static_cast<std::size_t>(
      std::ranges::count_if(graph.neighbours(router), [&](const auto& other) { return !levels.idle[other.router]; }));
}

/// Best connected first: a router above many of its neighbours leaves fewer of them to be placed above later ones.
std::vector<DeviceId> starts_on(std::uint8_t level, const RouterGraph& graph, const Levels& levels) {
  std::vector<DeviceId> starts;
  for (DeviceId router = 0; router < graph.size(); ++router) {
    if (levels.level[router] == level && !levels.idle[router]) starts.push_back(router);
  }
  std::stable_sort(starts.begin(), starts.end(),
                   [&](DeviceId a, DeviceId b) { return degree(a, graph, levels) > degree(b, graph, levels); });
  if (starts.size() > max_starts_per_level) starts.resize(max_starts_per_level);
  return starts;
}

}  // namespace

RouterOrder::RouterOrder(const RouterGraph& graph, DeviceId start, const Levels& levels) : position_(graph.size(), 0) {
  std::priority_queue<Candidate> in_touch;
  std::vector<bool> seen(graph.size(), false);
  const auto touch = [&](DeviceId router, std::uint32_t distance) {
    if (seen[router]) return;
    seen[router] = true;
    in_touch.push({levels.idle[router], levels.level[router], distance, degree(router, graph, levels), router});
  };
  touch(start, 0);
  while (!in_touch.empty()) {
    const Candidate next = in_touch.top();
    in_touch.pop();
    position_[next.router] = static_cast<std::uint32_t>(order_.size());
    order_.push_back(next.router);
    for (const auto& neighbour : graph.neighbours(next.router)) touch(neighbour.router, next.distance + 1);
  }
}

RouterOrder RouterOrder::for_tree(const RouterGraph& graph, const Levels& levels) {
  std::optional<RouterOrder> best;
  for (std::uint8_t level = 0; level < levels.count; ++level) {
    for (const DeviceId start : starts_on(level, graph, levels)) {
      RouterOrder order(graph, start, levels);
      order.count_lost_turns(graph, levels);
      if (!best || order.lost_turns_ < best->lost_turns_) best = std::move(order);
      if (best->lost_turns_ == 0) return std::move(*best);
    }
  }
  return std::move(*best);
}

/// Of a longest shortest path, or nearly so: twice to the far end, then half of the way back.
DeviceId middle_of(const RouterGraph& graph) {
  const DeviceId far_end = graph.by_distance_from(0).back();
  const auto from_end = graph.by_distance_from(far_end);
  const auto from_other_end = graph.by_distance_from(from_end.back());
  std::vector<std::size_t> rank(graph.size(), 0);
  for (std::size_t i = 0; i < from_end.size(); ++i) rank[from_end[i]] = i;
  DeviceId middle = far_end;
  std::size_t lowest = graph.size();
  for (std::size_t i = 0; i < from_other_end.size(); ++i) {
    const std::size_t farther = std::max(i, rank[from_other_end[i]]);
    if (farther < lowest) std::tie(lowest, middle) = std::pair(farther, from_other_end[i]);
  }
  return middle;
}

RouterOrder RouterOrder::breadth_first(const RouterGraph& graph, DeviceId top) {
  return {graph, top, Levels{std::vector<std::uint8_t>(graph.size(), 0), std::vector<bool>(graph.size()), 1}};
}

void RouterOrder::count_lost_turns(const RouterGraph& graph, const Levels& levels) {
  for (DeviceId router = 0; router < graph.size(); ++router) {
    if (levels.idle[router]) continue;
    std::uint64_t children_above = 0;
    std::uint64_t parents_above = 0;
    for (const auto& neighbour : graph.neighbours(router)) {
      if (!is_above(neighbour.router, router)) continue;
      ++(levels.level[neighbour.router] < levels.level[router] ? children_above : parents_above);
    }
    if (children_above == 0) continue;
    const std::uint64_t lost = children_above * (children_above - 1) / 2 + children_above * parents_above;
    if (lost > 0) losers_.push_back(router);
    lost_turns_ += lost;
  }
}

}  // namespace ayatori
