#include "fewest_hot_spots.hpp"

#include <algorithm>

namespace ayatori {

namespace {

class DeepeningSearch {
 public:
  DeepeningSearch(const ConflictGraph& graph, JobLoads& loads, std::uint64_t effort, const SearchControl& control)
      : graph_(graph),
        loads_(loads),
        control_(control),
        effort_end_(loads.effort() + effort),
        order_(neighbours_first(graph.graph)),
        colours_are_alike_(graph.colours_are_alike()) {
    result_.choices.resize(order_.size());
  }

  FewestHotSpots run(std::uint64_t at_least, std::uint64_t known) {
    loads_.clear();
    result_.at_least = at_least;
    while (result_.at_least < known && !result_.found) {
      limit_ = result_.at_least;
      result_.found = extend(0, 0);
      if (out_of_effort()) break;
      if (!result_.found) ++result_.at_least;
    }
    loads_.clear();
    return std::move(result_);
  }

 private:
  /// Always the vertex with the most neighbours among those before it.
  static std::vector<std::uint32_t> neighbours_first(const ClashGraph& graph) {
    std::vector<std::uint32_t> order;
    std::vector<std::uint32_t> before(graph.size(), 0);
    std::vector<bool> taken(graph.size(), false);
    while (order.size() < graph.size()) {
      std::uint32_t next = no_id;
      for (std::uint32_t v = 0; v < graph.size(); ++v) {
        if (!taken[v] && (next == no_id || before[v] > before[next])) next = v;
      }
      taken[next] = true;
      order.push_back(next);
      for (std::uint32_t v = 0; v < graph.size(); ++v) before[v] += graph.adjacent(next, v) ? 1 : 0;
    }
    return order;
  }

  [[nodiscard]] bool out_of_effort() const { return loads_.effort() >= effort_end_ || control_.stopped(); }

  /// Are there choices for the endpoints from order_[depth] on that keep to the limit?
  bool extend(std::size_t depth, std::size_t used) {
    if (depth == order_.size()) return true;
    const std::uint32_t endpoint = order_[depth];
    const std::size_t colours =
        colours_are_alike_ ? std::min(used + 1, graph_.graph.colours()) : graph_.graph.colours();
    for (std::size_t colour = 0; colour < colours && !out_of_effort(); ++colour) {
      const std::uint8_t choice = graph_.choice[endpoint][colour];
      if (choice == ConflictGraph::no_choice) continue;
      ++result_.tried;
      loads_.put(endpoint, choice);
      const bool done = loads_.hot_spots().size() <= limit_ && extend(depth + 1, std::max(used, colour + 1));
      loads_.take(endpoint, choice);
      if (!done) continue;
      result_.choices[endpoint] = choice;
      return true;
    }
    return false;
  }

  const ConflictGraph& graph_;
  JobLoads& loads_;
  const SearchControl& control_;
  std::uint64_t effort_end_;
  std::vector<std::uint32_t> order_;
  bool colours_are_alike_;
  std::uint64_t limit_ = 0;
  FewestHotSpots result_;
};

}  // namespace

FewestHotSpots fewest_hot_spots(const ConflictGraph& graph, JobLoads& loads, std::uint64_t at_least,
                                std::uint64_t known, std::uint64_t effort, const SearchControl& control) {
  return DeepeningSearch(graph, loads, effort, control).run(at_least, known);
}

}  // namespace ayatori
