#include "tabu_search.hpp"

#include "ayatori/base/random.hpp"

namespace ayatori {

namespace {

class TabuSearch {
 public:
  TabuSearch(const JobPaths& paths, JobLoads& loads, PathChoices choices)
      : paths_(paths),
        loads_(loads),
        choices_(std::move(choices)),
        best_(choices_),
        best_cost_(loads.cost()),
        max_choices_(paths.max_choices()),
        tabu_until_(std::size_t{paths.endpoint_count()} * max_choices_, 0) {}

  PathChoices run(std::uint64_t effort, const SearchControl& control) {
    const std::uint64_t end = loads_.effort() + effort;
    for (; best_cost_ != 0 && loads_.effort() < end && !control.stopped(); ++iteration_) {
      const Move move = best_move();
      if (move.endpoint != no_id) make(move);
    }
    loads_.clear();
    loads_.put(best_);
    return std::move(best_);
  }

 private:
  struct Move {
    std::uint32_t endpoint = no_id;
    std::uint8_t choice = 0;
    std::uint64_t cost = 0;
  };

  [[nodiscard]] std::uint64_t& tabu_until(std::uint32_t endpoint, std::uint32_t choice) {
    return tabu_until_[std::size_t{endpoint} * max_choices_ + choice];
  }

  /// Among the moves that take one endpoint off a hot spot; ties by lot.
  Move best_move() {
    const auto cell = loads_.hot_spots()[random_.below(loads_.hot_spots().size())];
    Move best;
    std::uint64_t equals = 0;
    for (const std::uint32_t endpoint : loads_.endpoints_at(cell, choices_)) {
      loads_.take(endpoint, choices_[endpoint]);
      for (std::uint32_t c = 0; c < paths_.choice_count(endpoint); ++c) {
        if (c == choices_[endpoint]) continue;
        const std::uint64_t cost = loads_.cost() + loads_.added_cost(endpoint, c);
        const bool tabu = tabu_until(endpoint, c) > iteration_ && cost >= best_cost_;
        if (tabu || (best.endpoint != no_id && cost > best.cost)) continue;
        equals = best.endpoint != no_id && cost == best.cost ? equals + 1 : 1;
        if (random_.below(equals) == 0) best = {endpoint, static_cast<std::uint8_t>(c), cost};
      }
      loads_.put(endpoint, choices_[endpoint]);
    }
    return best;
  }

  void make(const Move& move) {
    tabu_until(move.endpoint, choices_[move.endpoint]) =
        iteration_ + 3 + random_.below(8) + loads_.hot_spots().size() / 4;
    loads_.take(move.endpoint, choices_[move.endpoint]);
    choices_[move.endpoint] = move.choice;
    loads_.put(move.endpoint, move.choice);
    if (loads_.cost() >= best_cost_) return;
    best_ = choices_;
    best_cost_ = loads_.cost();
  }

  const JobPaths& paths_;
  JobLoads& loads_;
  PathChoices choices_;
  PathChoices best_;
  std::uint64_t best_cost_;
  std::uint32_t max_choices_;
  std::vector<std::uint64_t> tabu_until_;
  std::uint64_t iteration_ = 1;
  Random random_{1};
};

}  // namespace

PathChoices tabu_search(const JobPaths& paths, JobLoads& loads, PathChoices choices, std::uint64_t effort,
                        const SearchControl& control) {
  return TabuSearch(paths, loads, std::move(choices)).run(effort, control);
}

}  // namespace ayatori
