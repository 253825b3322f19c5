#pragma once
/// \file
/// Which routers are neighbours, without the number of their cables: what the recognition of HyperX and dragonflies
/// looks at. Unlike a RouterGraph it can be made of some of the routers only.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "ayatori/network/router_graph.hpp"

namespace ayatori {

/// By vertex: its neighbours by rising number, each once.
using Adjacency = std::vector<std::vector<std::uint32_t>>;

[[nodiscard]] inline Adjacency adjacency_of(const RouterGraph& graph) {
  Adjacency found(graph.size());
  for (DeviceId router = 0; router < graph.size(); ++router) {
    for (const auto& neighbour : graph.neighbours(router)) found[router].push_back(neighbour.router);
  }
  return found;
}

/// The part between some routers; its vertex i is `routers[i]`, which rise.
[[nodiscard]] inline Adjacency adjacency_between(const Adjacency& whole, std::span<const DeviceId> routers) {
  Adjacency found(routers.size());
  for (std::size_t i = 0; i < routers.size(); ++i) {
    for (const std::uint32_t other : whole[routers[i]]) {
      const auto at = std::ranges::lower_bound(routers, other);
      if (at != routers.end() && *at == other) found[i].push_back(static_cast<std::uint32_t>(at - routers.begin()));
    }
  }
  return found;
}

[[nodiscard]] inline bool are_joined(const Adjacency& graph, std::uint32_t a, std::uint32_t b) {
  return std::ranges::binary_search(graph[a], b);
}

[[nodiscard]] inline std::size_t edge_count(const Adjacency& graph) {
  std::size_t ends = 0;
  for (const auto& around : graph) ends += around.size();
  return ends / 2;
}

/// Sets that are joined one by one.
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t size) : parent_(size) {
    for (std::uint32_t i = 0; i < size; ++i) parent_[i] = i;
  }
  [[nodiscard]] std::uint32_t root(std::uint32_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(std::uint32_t a, std::uint32_t b) { parent_[root(a)] = root(b); }

 private:
  std::vector<std::uint32_t> parent_;
};

/// Whether `count` is at least three quarters of `all`: what is left of a shape where cables are missing.
[[nodiscard]] constexpr bool are_most(std::size_t count, std::size_t all) { return all > 0 && 4 * count >= 3 * all; }

}  // namespace ayatori
