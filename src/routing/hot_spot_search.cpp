#include "hot_spot_search.hpp"

#include <algorithm>
#include <limits>

namespace ayatori {

HotSpotSearch::HotSpotSearch(const JobPaths& paths, const JobDemands& demands, const LinkWeights& weights)
    : paths_(paths), demands_(demands), link_count_(paths.link_count()), most_choices_(paths.most_choices()) {
  const std::size_t cells = std::size_t{demands.step_count()} * link_count_;
  room_.reserve(cells);
  for (std::uint32_t step = 0; step < demands.step_count(); ++step) {
    for (LinkIndex link = 0; link < link_count_; ++link) {
      room_.push_back(capacity(demands.ideal(step), weights[paths.port(link)]));
    }
  }
  place_in_hot_.assign(cells, no_id);
  tabu_until_.assign(std::size_t{paths.node_count()} * most_choices_, 0);
}

std::uint64_t HotSpotSearch::memory(const JobPaths& paths, std::uint64_t steps) {
  return steps * paths.link_count() * (sizeof room_[0] + sizeof load_[0] + sizeof place_in_hot_[0]);
}

void HotSpotSearch::start(const NodeChoices& choices) {
  for (const Cell cell : hot_) place_in_hot_[cell] = no_id;
  hot_.clear();
  load_.assign(room_.size(), 0);
  cost_ = 0;
  choices_ = choices;
  for (std::uint32_t node = 0; node < paths_.node_count(); ++node) put(node);
}

template <typename Visit>
void HotSpotSearch::for_each_cell(std::uint32_t node, std::uint8_t choice, Visit&& visit) {
  for (const std::uint32_t number : demands_.of_node(node)) {
    const Demand& demand = demands_.demand(number);
    for (const LinkIndex link : paths_.route(demand.site, node, choice)) {
      visit(cell(demand.step, link), demand.messages);
      ++effort_;
    }
  }
}

void HotSpotSearch::put(std::uint32_t node) {
  for_each_cell(node, choices_[node], [this](Cell cell, std::uint32_t n) { set_load(cell, load_[cell] + n); });
}

void HotSpotSearch::take(std::uint32_t node) {
  for_each_cell(node, choices_[node], [this](Cell cell, std::uint32_t n) { set_load(cell, load_[cell] - n); });
}

void HotSpotSearch::set_load(Cell cell, std::uint32_t load) {
  cost_ += price(excess(cell, load));
  cost_ -= price(excess(cell, load_[cell]));
  load_[cell] = load;
  const bool is_hot = excess(cell, load) != 0;
  if (is_hot && place_in_hot_[cell] == no_id) {
    place_in_hot_[cell] = static_cast<std::uint32_t>(hot_.size());
    hot_.push_back(cell);
  } else if (!is_hot && place_in_hot_[cell] != no_id) {
    place_in_hot_[hot_.back()] = place_in_hot_[cell];
    hot_[place_in_hot_[cell]] = hot_.back();
    hot_.pop_back();
    place_in_hot_[cell] = no_id;
  }
}

/// What the choice would add for a node that is taken away. Demands of one node that share a link are priced
/// together only after the move, which make() does; until then this is a lower estimate.
std::uint64_t HotSpotSearch::added_cost(std::uint32_t node, std::uint8_t choice) {
  std::uint64_t cost = 0;
  for_each_cell(node, choice, [&](Cell cell, std::uint32_t n) {
    cost += price(excess(cell, load_[cell] + n)) - price(excess(cell, load_[cell]));
  });
  return cost;
}

std::vector<std::uint32_t> HotSpotSearch::nodes_at(Cell cell) {
  const LinkIndex link = cell % link_count_;
  std::vector<std::uint32_t> nodes;
  for (const Demand& demand : demands_.of_step(cell / link_count_)) {
    const auto route = paths_.route(demand.site, demand.node, choices_[demand.node]);
    effort_ += route.size();
    if (std::find(route.begin(), route.end(), link) == route.end()) continue;
    if (std::find(nodes.begin(), nodes.end(), demand.node) == nodes.end()) nodes.push_back(demand.node);
  }
  return nodes;
}

HotSpotSearch::Move HotSpotSearch::best_move(const std::vector<std::uint32_t>& nodes, std::uint64_t best_cost) {
  Move best;
  std::uint64_t equals = 0;
  for (const std::uint32_t node : nodes) {
    take(node);
    for (std::uint32_t c = 0; c < paths_.choice_count(node); ++c) {
      const auto choice = static_cast<std::uint8_t>(c);
      if (choice == choices_[node]) continue;
      const std::uint64_t cost = cost_ + added_cost(node, choice);
      const bool tabu = tabu_until_[node * most_choices_ + choice] > iteration_;
      if (tabu && cost >= best_cost) continue;
      if (best.node != no_id && cost > best.cost) continue;
      equals = best.node != no_id && cost == best.cost ? equals + 1 : 1;
      if (random_.below(equals) == 0) best = {node, choice, cost};
    }
    put(node);
  }
  return best;
}

void HotSpotSearch::make(const Move& move) {
  tabu_until_[move.node * most_choices_ + choices_[move.node]] = iteration_ + 3 + random_.below(8) + hot_.size() / 4;
  take(move.node);
  choices_[move.node] = move.choice;
  put(move.node);
}

NodeChoices HotSpotSearch::improve(std::uint64_t effort) {
  NodeChoices best = choices_;
  std::uint64_t best_cost = cost_;
  for (effort_ = 0; best_cost != 0 && effort_ < effort; ++iteration_) {
    const Move move = best_move(nodes_at(hot_[random_.below(hot_.size())]), best_cost);
    ++effort_;
    if (move.node == no_id) continue;
    make(move);
    if (cost_ >= best_cost) continue;
    best = choices_;
    best_cost = cost_;
  }
  start(best);
  return best;
}

}  // namespace ayatori
