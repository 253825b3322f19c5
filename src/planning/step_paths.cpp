#include "step_paths.hpp"

#include <algorithm>
#include <limits>

namespace ayatori {

StepPaths::StepPaths(const JobPaths& paths, const LinkWeights& weights)
    : paths_(paths), riders_(paths.link_count()), pretended_(paths.link_count(), 0) {
  for (LinkIndex link = 0; link < paths.link_count(); ++link) weight_.push_back(weights[paths.port(link)]);
}

void StepPaths::start(std::vector<Passenger> passengers) {
  for (std::uint32_t p = 0; p < passengers_.size(); ++p) {
    for (const LinkIndex link : route(p, passengers_[p].choice)) riders_[link].clear();
  }
  passengers_ = std::move(passengers);
  rides_.assign(passengers_.size(), false);
  visited_.assign(passengers_.size(), 0);
  search_ = 0;
  for (std::uint32_t p = 0; p < passengers_.size(); ++p) {
    if (passengers_[p].fixed) ride(p);
  }
}

void StepPaths::ride(std::uint32_t passenger) {
  rides_[passenger] = true;
  for (const LinkIndex link : route(passenger, passengers_[passenger].choice)) riders_[link].push_back(passenger);
}

void StepPaths::leave(std::uint32_t passenger) {
  if (!rides_[passenger]) return;
  rides_[passenger] = false;
  for (const LinkIndex link : route(passenger, passengers_[passenger].choice)) {
    auto& riders = riders_[link];
    *std::find(riders.begin(), riders.end(), passenger) = riders.back();
    riders.pop_back();
  }
}

void StepPaths::move(std::uint32_t passenger, std::uint32_t choice) {
  leave(passenger);
  passengers_[passenger].choice = choice;
  ride(passenger);
}

void StepPaths::give_emptiest(std::uint32_t passenger) {
  leave(passenger);
  Crowding best = {std::numeric_limits<double>::infinity(), 0};
  for (std::uint32_t choice = 0; choice < paths_.choice_count(passengers_[passenger].node); ++choice) {
    const Crowding crowding = crowding_with(passenger, choice);
    if (crowding >= best) continue;
    best = crowding;
    passengers_[passenger].choice = choice;
  }
  ride(passenger);
}

StepPaths::Crowding StepPaths::crowding_with(std::uint32_t passenger, std::uint32_t choice) const {
  Crowding crowding = {0, 0};
  for (const LinkIndex link : route(passenger, choice)) {
    const double time = time_of(link, load(link) + 1);
    crowding.first = std::max(crowding.first, time);
    crowding.second += time;
  }
  return crowding;
}

double StepPaths::time() const {
  double longest = 0;
  for (std::uint32_t p = 0; p < passengers_.size(); ++p) {
    for (const LinkIndex link : route(p, passengers_[p].choice)) {
      longest = std::max(longest, time_of(link, load(link)));
    }
  }
  return longest;
}

std::vector<LinkIndex> StepPaths::busier_than(double time) const {
  std::vector<LinkIndex> links;
  for (std::uint32_t p = 0; p < passengers_.size(); ++p) {
    for (const LinkIndex link : route(p, passengers_[p].choice)) {
      // Each link once: at its first rider.
      if (riders_[link].front() == p && time_of(link, load(link)) > time) {
        links.push_back(link);
      }
    }
  }
  return links;
}

void StepPaths::relieve(double time, const LeafBound& bound, std::uint64_t& effort) {
  for (const LinkIndex link : busier_than(time)) {
    if (bound.too_many_for(link, time)) continue;
    while (time_of(link, load(link)) > time && make_room(link, time, effort)) {
    }
  }
}

bool StepPaths::make_room(LinkIndex link, double time, std::uint64_t& effort) {
  const std::vector<std::uint32_t> riders = riders_[link];
  return std::any_of(riders.begin(), riders.end(), [&](std::uint32_t p) {
    ++search_;
    return visit(p) && find_chain(p, time, effort);
  });
}

/// False if this search saw the message before, or it can't move.
bool StepPaths::visit(std::uint32_t passenger) {
  if (passengers_[passenger].fixed || visited_[passenger] == search_) return false;
  visited_[passenger] = search_;
  return true;
}

bool StepPaths::find_chain(std::uint32_t passenger, double time, std::uint64_t& effort) {
  states_.assign(1, {passenger, no_id, 0});
  for (std::uint32_t state = 0; state < states_.size(); ++state) {
    if (effort == 0) return false;
    --effort;
    pretend(state, 1);
    const Passenger& mover = passengers_[states_[state].passenger];
    const std::uint32_t choices = paths_.choice_count(mover.node);
    std::uint32_t choice = 0;
    while (choice < choices && (choice == mover.choice || !try_choice(state, choice, time))) ++choice;
    pretend(state, -1);
    if (choice == choices) continue;
    apply_chain(state, choice);
    return true;
  }
  return false;
}

/// Changes loads as if all messages up to this state had left, and the earlier ones taken what they want.
void StepPaths::pretend(std::uint32_t state, int sign) {
  for (std::uint32_t at = state; at != no_id; at = states_[at].cause) {
    const std::uint32_t mover = states_[at].passenger;
    for (const LinkIndex link : route(mover, passengers_[mover].choice)) pretended_[link] -= sign;
    if (states_[at].cause == no_id) break;
    const std::uint32_t causer = states_[states_[at].cause].passenger;
    for (const LinkIndex link : route(causer, states_[at].wanted)) pretended_[link] += sign;
  }
}

/// True if the choice has room. If one link on it is full, those who are on that become states of their own.
bool StepPaths::try_choice(std::uint32_t state, std::uint32_t choice, double time) {
  LinkIndex full = no_id;
  for (const LinkIndex link : route(states_[state].passenger, choice)) {
    // Taking a load's changes together never goes below zero: who leaves was there.
    const std::uint32_t with_me = load(link) + static_cast<std::uint32_t>(pretended_[link]) + 1;
    if (time_of(link, with_me) <= time) continue;
    const bool one_too_many = time_of(link, with_me - 1) <= time;
    if (full != no_id || !one_too_many) return false;
    full = link;
  }
  if (full == no_id) return true;
  for (const std::uint32_t rider : riders_[full]) {
    if (visit(rider)) states_.push_back({rider, state, choice});
  }
  return false;
}

void StepPaths::apply_chain(std::uint32_t state, std::uint32_t choice) {
  while (state != no_id) {
    const State at = states_[state];
    move(at.passenger, choice);
    choice = at.wanted;
    state = at.cause;
  }
}

}  // namespace ayatori
