#pragma once
/// \file
/// Choices per node with few hot spots, by tabu search on the real loads of all links in all steps.

#include <cstdint>
#include <vector>

#include "ayatori/base/random.hpp"
#include "job_demands.hpp"
#include "job_paths.hpp"
#include "plan_methods.hpp"

namespace ayatori {

/// Minimises Σ over (link, step) of e · (e + 1) / 2, e the messages beyond what the link carries in ideal(s): a hot
/// spot costs 1, a twice as bad one 3, so that what can't be avoided is spread. Each move takes a hot spot at random
/// and changes the choice of one of its nodes to the best that is not tabu (Hertz and de Werra's TabuCol, 1987, with
/// loads in place of conflicts). Draws from a seed of its own: deterministic.
class HotSpotSearch {
 public:
  HotSpotSearch(const JobPaths& paths, const JobDemands& demands, const LinkWeights& weights);

  /// Bytes that a search over these steps takes for its loads.
  [[nodiscard]] static std::uint64_t memory(const JobPaths& paths, std::uint64_t steps);

  /// Sets all choices.
  void start(const NodeChoices& choices);
  [[nodiscard]] std::uint64_t cost() const { return cost_; }

  /// The best choices met, those of start() included. Stops without hot spots, or after looking at `effort` loads.
  NodeChoices improve(std::uint64_t effort);

 private:
  using Cell = std::uint32_t;  ///< (step, link)

  struct Move {
    std::uint32_t node = no_id;
    std::uint8_t choice = 0;
    std::uint64_t cost = 0;
  };

  [[nodiscard]] Cell cell(std::uint32_t step, LinkIndex link) const { return step * link_count_ + link; }
  [[nodiscard]] std::uint32_t excess(Cell cell, std::uint32_t load) const {
    return load > room_[cell] ? load - room_[cell] : 0;
  }
  [[nodiscard]] static std::uint64_t price(std::uint64_t excess) { return excess * (excess + 1) / 2; }

  template <typename Visit>
  void for_each_cell(std::uint32_t node, std::uint8_t choice, Visit&& visit);
  void put(std::uint32_t node);
  void take(std::uint32_t node);
  void set_load(Cell cell, std::uint32_t load);
  std::uint64_t added_cost(std::uint32_t node, std::uint8_t choice);

  [[nodiscard]] std::vector<std::uint32_t> nodes_at(Cell cell);
  Move best_move(const std::vector<std::uint32_t>& nodes, std::uint64_t best_cost);
  void make(const Move& move);

  const JobPaths& paths_;
  const JobDemands& demands_;
  std::uint32_t link_count_;
  std::vector<std::uint32_t> room_;  // by cell: messages that it carries in ideal(s)
  std::vector<std::uint32_t> load_;  // by cell
  std::vector<Cell> hot_;
  std::vector<std::uint32_t> place_in_hot_;  // by cell, no_id if not hot
  NodeChoices choices_;
  std::uint64_t cost_ = 0;
  std::uint64_t effort_ = 0;
  std::uint64_t iteration_ = 0;
  std::uint32_t most_choices_;
  std::vector<std::uint64_t> tabu_until_;  // node · most_choices_ + choice
  Random random_{1};
};

}  // namespace ayatori
