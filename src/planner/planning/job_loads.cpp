#include "job_loads.hpp"

#include <algorithm>

namespace ayatori {

JobLoads::JobLoads(const JobPaths& paths, const JobDemands& demands, const LinkWeights& weights)
    : paths_(paths), demands_(demands), link_count_(paths.link_count()) {
  const std::size_t cells = std::size_t{demands.step_count()} * link_count_;
  for (LinkIndex link = 0; link < link_count_; ++link) weight_.push_back(weights[paths.port(link)]);
  room_.reserve(cells);
  for (std::uint32_t step = 0; step < demands.step_count(); ++step) {
    for (LinkIndex link = 0; link < link_count_; ++link) {
      room_.push_back(capacity(demands.ideal(step), weight_[link]));
    }
  }
  load_.assign(cells, 0);
  place_in_hot_.assign(cells, no_id);
}

std::uint64_t JobLoads::memory(const JobPaths& paths, std::uint64_t steps) {
  return steps * paths.link_count() * (sizeof room_[0] + sizeof load_[0] + sizeof place_in_hot_[0]);
}

void JobLoads::clear() {
  for (const Cell cell : hot_) place_in_hot_[cell] = no_id;
  hot_.clear();
  std::fill(load_.begin(), load_.end(), 0U);
  cost_ = 0;
}

template <typename Visit>
void JobLoads::for_each_cell(std::uint32_t endpoint, std::uint32_t choice, Visit&& visit) const {
  for (const std::uint32_t number : demands_.of_endpoint(endpoint)) {
    const Demand& demand = demands_.demand(number);
    for (const LinkIndex link : paths_.route(demand.leaf, endpoint, choice)) {
      visit(demand.step * link_count_ + link, demand.messages);
      ++effort_;
    }
  }
}

void JobLoads::put(const PathChoices& choices) {
  for (std::uint32_t endpoint = 0; endpoint < choices.size(); ++endpoint) put(endpoint, choices[endpoint]);
}

void JobLoads::put(std::uint32_t endpoint, std::uint32_t choice) {
  for_each_cell(endpoint, choice,
                [this](Cell cell, std::uint32_t messages) { set_load(cell, load_[cell] + messages); });
}

void JobLoads::take(std::uint32_t endpoint, std::uint32_t choice) {
  for_each_cell(endpoint, choice,
                [this](Cell cell, std::uint32_t messages) { set_load(cell, load_[cell] - messages); });
}

std::uint64_t JobLoads::added_cost(std::uint32_t endpoint, std::uint32_t choice) const {
  std::uint64_t cost = 0;
  for_each_cell(endpoint, choice, [&](Cell cell, std::uint32_t messages) {
    cost += price(cell, load_[cell] + messages) - price(cell, load_[cell]);
  });
  return cost;
}

std::uint64_t JobLoads::price(Cell cell, std::uint32_t load) const {
  const std::uint64_t excess = load > room_[cell] ? load - room_[cell] : 0;
  return excess * (excess + 1) / 2;
}

void JobLoads::set_load(Cell cell, std::uint32_t load) {
  cost_ += price(cell, load);
  cost_ -= price(cell, load_[cell]);
  load_[cell] = load;
  const bool hot = load > room_[cell];
  if (hot != (place_in_hot_[cell] != no_id)) set_hot(cell, hot);
}

void JobLoads::set_hot(Cell cell, bool hot) {
  if (hot) {
    place_in_hot_[cell] = static_cast<std::uint32_t>(hot_.size());
    hot_.push_back(cell);
  } else {
    place_in_hot_[hot_.back()] = place_in_hot_[cell];
    hot_[place_in_hot_[cell]] = hot_.back();
    hot_.pop_back();
    place_in_hot_[cell] = no_id;
  }
}

double JobLoads::total_time() const {
  double sum = 0;
  for (std::uint32_t step = 0; step < demands_.step_count(); ++step) {
    double time = demands_.ideal(step);
    for (LinkIndex link = 0; link < link_count_; ++link) {
      time = std::max(time, load_[step * link_count_ + link] * weight_[link]);
    }
    sum += time;
  }
  return sum;
}

std::vector<std::uint32_t> JobLoads::endpoints_at(Cell cell, const PathChoices& choices) const {
  const LinkIndex link = cell % link_count_;
  std::vector<std::uint32_t> endpoints;
  for (const Demand& demand : demands_.of_step(cell / link_count_)) {
    const auto route = paths_.route(demand.leaf, demand.endpoint, choices[demand.endpoint]);
    effort_ += route.size();
    if (std::find(route.begin(), route.end(), link) == route.end()) continue;
    if (std::find(endpoints.begin(), endpoints.end(), demand.endpoint) == endpoints.end())
      endpoints.push_back(demand.endpoint);
  }
  return endpoints;
}

}  // namespace ayatori
