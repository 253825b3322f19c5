/// \file
/// One path per destination, by colouring the conflict graph (conflict_graph.hpp). In this order: the rule's choice,
/// which often is a colouring; exact search; tabu search on the real loads where no colouring exists or none was found.
/// Of all choices that were found on the way those stand whose steps take the least time, and of these the ones with
/// the fewest hot spots: where hot spots can't be avoided, having few of them may mean to leave links idle.

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "conflict_graph.hpp"
#include "fewest_hot_spots.hpp"
#include "plan_methods.hpp"
#include "tabu_search.hpp"

namespace ayatori {

namespace {

constexpr std::uint32_t max_endpoints = 2048;                ///< beyond that, the rule's choice must do
constexpr std::uint64_t max_bytes = std::uint64_t{1} << 28;  ///< for a graph of single clashes, or for loads
constexpr std::uint64_t colouring_effort = 60'000'000;       ///< vertices looked at by the exact search
constexpr std::uint64_t proof_effort = 60'000'000;           ///< loads looked at to prove how many hot spots must be
constexpr std::uint64_t tabu_effort = 60'000'000;            ///< loads looked at by tabu search, at most;
constexpr std::uint64_t short_search = 20;   ///< at first as many as trying every choice so often takes,
constexpr std::uint64_t long_search = 4000;  ///< and in the end
constexpr int max_passes = 20;               ///< over all endpoints, to spread them
constexpr double rounding_of_sums = 1e-9;    ///< times that differ by less are the same, in other orders of addition

class ColourPlanner {
 public:
  explicit ColourPlanner(const PlanTask& task)
      : task_(task),
        demands_(task.network, task.endpoints, task.weights, task.steps),
        loads_(task.paths, demands_, task.weights) {}

  MethodResult run() {
    if (use(choices_by_rule(task_))) return finish("a colouring exists (the rule's)");
    improve(short_search);
    if (loads_.cost() == 0) return finish("a colouring exists");
    if (task_.control.stopped()) return search("heuristic");
    const auto graph = conflict_graph(task_, demands_, max_bytes);
    if (!graph) return search("heuristic: too many paths and endpoints for an exact search");
    const Colouring colouring =
        colour_vertices(graph->graph, colouring_effort / task_.endpoints.endpoint_count(), task_.control);
    switch (colouring.outcome) {
      case Colouring::Outcome::found: {
        const PathChoices so_far = choices_;
        if (use(graph->choices_of(colouring.colour))) return finish("a colouring exists");
        use(so_far);
        return search("heuristic: pairs of destinations can be kept apart, but not what several of them share");
      }
      case Colouring::Outcome::impossible:
        return prove(*graph, fmt::format("no colouring with {} paths exists (exhaustive search, {} nodes)",
                                         graph->graph.colours(), colouring.tried));
      case Colouring::Outcome::gave_up:
        break;
    }
    return search(fmt::format("heuristic: exact search given up after {} nodes", colouring.tried));
  }

 private:
  /// Makes these the choices. True if they are free of hot spots.
  bool use(const PathChoices& choices) {
    loads_.clear();
    loads_.put(choices);
    choices_ = choices;
    consider();
    return loads_.cost() == 0;
  }

  /// Keeps the choices as the best so far, if they are.
  void consider() {
    const double time = loads_.total_time();
    const std::size_t hot_spots = loads_.hot_spots().size();
    const bool as_fast = time <= best_time_ * (1 + rounding_of_sums);
    const bool faster = time < best_time_ * (1 - rounding_of_sums);
    if (!best_.empty() && !faster && !(as_fast && hot_spots < best_hot_spots_)) return;
    best_ = choices_;
    best_time_ = time;
    best_hot_spots_ = hot_spots;
  }

  MethodResult search(std::string why) {
    improve(long_search);
    if (loads_.cost() == 0) return finish("a colouring exists");
    return finish(why + "; the fewest hot spots that tabu search found");
  }

  /// No colouring exists: how few hot spots can there be?
  MethodResult prove(const ConflictGraph& graph, std::string why) {
    const std::uint64_t known = loads_.hot_spots().size();
    const std::uint64_t at_least = std::max<std::uint64_t>(1, task_.bound.hot_spots);
    const FewestHotSpots fewest = fewest_hot_spots(graph, loads_, at_least, known, proof_effort, task_.control);
    bound_ = fewest.at_least;
    use(fewest.found ? fewest.choices : PathChoices(choices_));
    if (bound_ < known && !fewest.found) improve(long_search);
    const std::string_view rest = best_ == choices_ ? "" : "; with the fewest of them steps take longer";
    return finish(
        fmt::format("{}; at least {} hot spots (exhaustive search, {} nodes){}", why, bound_, fewest.tried, rest));
  }

  void improve(std::uint64_t rounds) {
    const std::uint64_t before = loads_.effort();
    for (std::uint32_t endpoint = 0; endpoint < task_.endpoints.endpoint_count(); ++endpoint) {
      if (task_.control.stopped()) return;
      for (std::uint32_t c = 0; c < task_.paths.choice_count(endpoint); ++c) (void)loads_.added_cost(endpoint, c);
    }
    const std::uint64_t round = loads_.effort() - before;
    choices_ = tabu_search(task_.paths, loads_, choices_, std::min(tabu_effort, rounds * round), task_.control);
    consider();
  }

  /// Moves endpoints that cause no hot spot to links that carry less and are not hot afterwards either, so that all
  /// paths are used evenly: whom nobody has planned for suffers least then.
  void spread() {
    std::vector<std::uint64_t> carried(task_.paths.link_count(), 0);
    for (std::uint32_t endpoint = 0; endpoint < choices_.size(); ++endpoint) add_to(carried, endpoint, 1);
    bool moved = true;
    for (int pass = 0; moved && pass < max_passes && !task_.control.stopped(); ++pass) {
      moved = false;
      for (std::uint32_t endpoint = 0; endpoint < choices_.size() && !task_.control.stopped(); ++endpoint) {
        const std::uint8_t before = choices_[endpoint];
        add_to(carried, endpoint, -1);
        loads_.take(endpoint, before);
        if (loads_.added_cost(endpoint, before) == 0) choices_[endpoint] = least_carrying(carried, endpoint);
        loads_.put(endpoint, choices_[endpoint]);
        add_to(carried, endpoint, 1);
        moved = moved || choices_[endpoint] != before;
      }
    }
  }

  void add_to(std::vector<std::uint64_t>& carried, std::uint32_t endpoint, int sign) const {
    for (const std::uint32_t number : demands_.of_endpoint(endpoint)) {
      const Demand& demand = demands_.demand(number);
      for (const LinkIndex link : task_.paths.route(demand.leaf, endpoint, choices_[endpoint])) {
        carried[link] += static_cast<std::uint64_t>(sign) * demand.messages;
      }
    }
  }

  /// Of an endpoint that is on no link now: its choice, unless another one causes no hot spot on links that carry less.
  [[nodiscard]] std::uint8_t least_carrying(const std::vector<std::uint64_t>& carried, std::uint32_t endpoint) {
    const auto cost_of = [&](std::uint32_t choice) {
      std::uint64_t sum = 0;
      for (const std::uint32_t number : demands_.of_endpoint(endpoint)) {
        const Demand& demand = demands_.demand(number);
        for (const LinkIndex link : task_.paths.route(demand.leaf, endpoint, choice)) {
          sum += carried[link] * demand.messages;
        }
      }
      return sum;
    };
    std::uint8_t best = choices_[endpoint];
    std::uint64_t least = cost_of(best);
    for (std::uint32_t c = 0; c < task_.paths.choice_count(endpoint); ++c) {
      const std::uint64_t sum = cost_of(c);
      if (sum >= least || !causes_none(endpoint, c)) continue;
      least = sum;
      best = static_cast<std::uint8_t>(c);
    }
    return best;
  }

  /// added_cost() is a lower estimate where several demands share a link, so the loads themselves are asked.
  [[nodiscard]] bool causes_none(std::uint32_t endpoint, std::uint32_t choice) {
    if (loads_.added_cost(endpoint, choice) != 0) return false;
    const std::uint64_t before = loads_.cost();
    loads_.put(endpoint, choice);
    const bool none = loads_.cost() == before;
    loads_.take(endpoint, choice);
    return none;
  }

  [[nodiscard]] MethodResult finish(std::string reason) {
    if (choices_ != best_) use(PathChoices(best_));
    spread();
    return {plan_of(task_, Method::colour, choices_), std::move(reason), bound_};
  }

  const PlanTask& task_;
  JobDemands demands_;
  JobLoads loads_;
  PathChoices choices_;
  PathChoices best_;
  double best_time_ = 0;
  std::size_t best_hot_spots_ = 0;
  std::uint64_t bound_ = 0;
};

}  // namespace

MethodResult plan_by_colour(const PlanTask& task) {
  const std::uint64_t loads = JobLoads::memory(task.paths, task.steps.step_count());
  if (task.endpoints.endpoint_count() <= max_endpoints && loads <= max_bytes) return ColourPlanner(task).run();
  return {plan_of(task, Method::colour, choices_by_rule(task)),
          fmt::format("heuristic: {} destinations are too many to search, the rule's choice stands",
                      task.endpoints.endpoint_count()),
          0};
}

}  // namespace ayatori
