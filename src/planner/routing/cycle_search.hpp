#pragma once
/// \file
/// Finds a cycle in a directed graph, by depth-first search without recursion.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace ayatori {

/// A successor of a vertex, and where to look for the one after it.
struct Successor {
  std::uint32_t vertex = 0;
  std::uint32_t next_place = 0;
};

/// Vertices 0 … count − 1, each followed by the next and the last by the first; empty if there is no cycle.
/// `successor(vertex, place)` is the first successor at or after this place, beginning with place 0; nothing if there
/// is none.
template <typename SuccessorOf>
std::vector<std::uint32_t> find_cycle(std::size_t count, SuccessorOf&& successor) {
  enum class Mark : std::uint8_t { unseen, on_path, done };
  struct Visit {
    std::uint32_t vertex;
    std::uint32_t place;
  };
  std::vector<Mark> mark(count, Mark::unseen);
  std::vector<Visit> path;
  const auto enter = [&](std::uint32_t vertex) {
    mark[vertex] = Mark::on_path;
    path.push_back({vertex, 0});
  };
  for (std::uint32_t start = 0; start < count; ++start) {
    if (mark[start] != Mark::unseen) continue;
    enter(start);
    while (!path.empty()) {
      Visit& here = path.back();
      const std::optional<Successor> next = successor(here.vertex, here.place);
      if (!next) {
        mark[here.vertex] = Mark::done;
        path.pop_back();
        continue;
      }
      here.place = next->next_place;
      if (mark[next->vertex] == Mark::on_path) {
        const auto begin =
            std::find_if(path.begin(), path.end(), [&](const Visit& v) { return v.vertex == next->vertex; });
        std::vector<std::uint32_t> cycle;
        for (auto visit = begin; visit != path.end(); ++visit) cycle.push_back(visit->vertex);
        return cycle;
      }
      if (mark[next->vertex] == Mark::unseen) enter(next->vertex);
    }
  }
  return {};
}

}  // namespace ayatori
