/// \file
/// One path per destination, by colouring the conflict graph (conflict_graph.hpp). In this order: the rule's choice,
/// which often is a colouring; exact search; tabu search on the real loads where no colouring exists or none was found.

#include <fmt/format.h>

#include <optional>

#include "conflict_graph.hpp"
#include "hot_spot_search.hpp"
#include "plan_methods.hpp"

namespace ayatori {

namespace {

constexpr std::uint32_t most_nodes = 2048;                    ///< beyond that, the rule's choice must do
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 28;  ///< for a graph of single clashes, or a search's loads
constexpr std::uint64_t search_effort = 60'000'000;           ///< vertices looked at by the exact search
constexpr std::uint64_t tabu_effort = 300'000'000;            ///< loads looked at by the tabu search
constexpr std::uint64_t clique_budget = 100'000;
constexpr std::uint32_t most_nodes_for_cliques = 128;

class ColourPlanner {
 public:
  explicit ColourPlanner(const PlanTask& task)
      : task_(task),
        demands_(task.network, task.nodes, task.weights, task.steps),
        search_(task.paths, demands_, task.weights) {}

  MethodResult run() {
    NodeChoices best = choices_by_rule(task_);
    search_.start(best);
    if (search_.cost() == 0) return finish(best, "a colouring exists (the rule's)");
    const auto graph = conflict_graph(task_, demands_, most_bytes);
    std::string outcome = "heuristic: too many paths and nodes for an exact search";
    if (graph) {
      const Colouring colouring = colour_vertices(graph->graph, search_effort / task_.nodes.node_count());
      if (colouring.outcome == Colouring::Outcome::found) {
        best = graph->choices_of(colouring.colour);
        search_.start(best);
        if (search_.cost() == 0) return finish(best, "a colouring exists");
      }
      outcome = describe(*graph, colouring);
      if (colouring.outcome == Colouring::Outcome::impossible) bound_ = proven_hot_spots(*graph);
    }
    best = search_.improve(tabu_effort);
    if (search_.cost() == 0) return finish(best, "a colouring exists (found by tabu search)");
    return finish(best, outcome + "; the fewest that tabu search found");
  }

 private:
  [[nodiscard]] MethodResult finish(const NodeChoices& choices, std::string reason) const {
    return {plan_of(task_, Method::colour, choices), std::move(reason), bound_};
  }

  [[nodiscard]] static std::string describe(const ConflictGraph& graph, const Colouring& colouring) {
    switch (colouring.outcome) {
      case Colouring::Outcome::impossible:
        return fmt::format("no colouring with {} paths exists (exhaustive search, {} nodes)", graph.graph.colours(),
                           colouring.nodes);
      case Colouring::Outcome::gave_up:
        return fmt::format("heuristic: exact search given up after {} nodes", colouring.nodes);
      case Colouring::Outcome::found:
        return "heuristic: pairs of destinations can be kept apart, but not what several of them share";
    }
    return {};
  }

  /// No colouring exists: one hot spot for sure, more if cliques say so.
  [[nodiscard]] std::uint64_t proven_hot_spots(const ConflictGraph& graph) const {
    if (!graph.graph.is_plain() || graph.graph.size() > most_nodes_for_cliques) return 1;
    return std::max<std::uint64_t>(1, clique_bound(static_cast<std::uint32_t>(graph.graph.size()),
                                                   graph.graph.colours(), graph.groups, clique_budget));
  }

  const PlanTask& task_;
  JobDemands demands_;
  HotSpotSearch search_;
  std::uint64_t bound_ = 0;
};

}  // namespace

MethodResult plan_by_colour(const PlanTask& task) {
  const std::uint64_t loads = HotSpotSearch::memory(task.paths, task.steps.step_count());
  if (task.nodes.node_count() <= most_nodes && loads <= most_bytes) return ColourPlanner(task).run();
  return {plan_of(task, Method::colour, choices_by_rule(task)),
          fmt::format("heuristic: {} destinations are too many to search, the rule's choice stands",
                      task.nodes.node_count()),
          0};
}

}  // namespace ayatori
