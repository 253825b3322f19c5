#include "step_paths.hpp"

#include <algorithm>
#include <limits>

namespace ayatori {

StepPaths::StepPaths(const JobPaths& paths, const LinkWeights& weights, const SearchControl& control)
    : paths_(paths),
      control_(control),
      messages_on_(paths.link_count()),
      load_(paths.link_count(), 0),
      kept_(paths.link_count(), 0),
      tentative_(paths.link_count(), 0) {
  for (LinkIndex link = 0; link < paths.link_count(); ++link) weight_.push_back(weights[paths.port(link)]);
}

void StepPaths::start(std::vector<StepMessage> messages) {
  clear_links();
  messages_ = std::move(messages);
  collect_routes();
  begin();
}

void StepPaths::start_again() {
  clear_links();
  for (StepMessage& message : messages_) {
    if (!message.fixed) message.choice = 0;
  }
  begin();
}

void StepPaths::clear_links() {
  for (std::uint32_t m = 0; m < messages_.size(); ++m) {
    for (const LinkIndex link : route(m, messages_[m].choice)) {
      messages_on_[link].clear();
      load_[link] = 0;
    }
  }
}

void StepPaths::collect_routes() {
  first_route_.clear();
  route_end_.clear();
  links_.clear();
  for (const StepMessage& message : messages_) {
    first_route_.push_back(static_cast<std::uint32_t>(route_end_.size()));
    for (std::uint32_t choice = 0; choice < paths_.choice_count(message.endpoint); ++choice) {
      const auto links = paths_.route(message.leaf, message.endpoint, choice);
      links_.insert(links_.end(), links.begin(), links.end());
      route_end_.push_back(static_cast<std::uint32_t>(links_.size()));
    }
  }
}

void StepPaths::begin() {
  has_path_.assign(messages_.size(), false);
  visited_.assign(messages_.size(), 0);
  search_ = 0;
  for (std::uint32_t m = 0; m < messages_.size(); ++m) {
    if (messages_[m].fixed) add_to_links(m);
  }
}

void StepPaths::add_to_links(std::uint32_t message) {
  has_path_[message] = true;
  for (const LinkIndex link : route(message, messages_[message].choice)) {
    messages_on_[link].push_back(message);
    ++load_[link];
  }
}

void StepPaths::remove_from_links(std::uint32_t message) {
  if (!has_path_[message]) return;
  has_path_[message] = false;
  for (const LinkIndex link : route(message, messages_[message].choice)) {
    auto& sharing = messages_on_[link];
    *std::find(sharing.begin(), sharing.end(), message) = sharing.back();
    sharing.pop_back();
    --load_[link];
  }
}

void StepPaths::move(std::uint32_t message, std::uint32_t choice) {
  remove_from_links(message);
  messages_[message].choice = choice;
  add_to_links(message);
}

void StepPaths::choose_least_loaded(std::uint32_t message) {
  remove_from_links(message);
  PathLoad best = {std::numeric_limits<double>::infinity(), 0, 0};
  for (std::uint32_t choice = 0; choice < paths_.choice_count(messages_[message].endpoint); ++choice) {
    const PathLoad sum = load_with(message, choice);
    if (sum >= best) continue;
    best = sum;
    messages_[message].choice = choice;
  }
  add_to_links(message);
}

StepPaths::PathLoad StepPaths::load_with(std::uint32_t message, std::uint32_t choice) const {
  double longest = 0;
  double sum = 0;
  std::uint64_t kept = 0;
  for (const LinkIndex link : route(message, choice)) {
    const double time = time_of(link, load(link) + 1);
    longest = std::max(longest, time);
    sum += time;
    kept += kept_[link];
  }
  return {longest, sum, kept};
}

void StepPaths::keep(std::span<const StepMessage> messages) {
  for (std::uint32_t m = 0; m < messages.size(); ++m) {
    for (const LinkIndex link : route(m, messages[m].choice)) ++kept_[link];
  }
}

double StepPaths::time() const {
  double longest = 0;
  for (std::uint32_t m = 0; m < messages_.size(); ++m) {
    for (const LinkIndex link : route(m, messages_[m].choice)) {
      longest = std::max(longest, time_of(link, load(link)));
    }
  }
  return longest;
}

std::vector<LinkIndex> StepPaths::busier_than(double time) const {
  std::vector<LinkIndex> links;
  for (std::uint32_t m = 0; m < messages_.size(); ++m) {
    for (const LinkIndex link : route(m, messages_[m].choice)) {
      if (time_of(link, load(link)) <= time) continue;
      // Each link once: at the first message on it.
      if (messages_on_[link].front() == m) links.push_back(link);
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
  const std::vector<std::uint32_t> sharing = messages_on_[link];
  return std::any_of(sharing.begin(), sharing.end(), [&](std::uint32_t m) {
    ++search_;
    return visit(m) && find_chain(m, time, effort);
  });
}

/// False if this search has seen the message before, or if its path is fixed.
bool StepPaths::visit(std::uint32_t message) {
  if (messages_[message].fixed || visited_[message] == search_) return false;
  visited_[message] = search_;
  return true;
}

bool StepPaths::find_chain(std::uint32_t message, double time, std::uint64_t& effort) {
  states_.assign(1, {message, no_id, 0});
  for (std::uint32_t state = 0; state < states_.size(); ++state) {
    if (effort == 0 || control_.stopped()) return false;
    --effort;
    change_tentatively(state, 1);
    const StepMessage& mover = messages_[states_[state].message];
    const std::uint32_t choices = paths_.choice_count(mover.endpoint);
    std::uint32_t choice = 0;
    while (choice < choices && (choice == mover.choice || !try_choice(state, choice, time))) ++choice;
    change_tentatively(state, -1);
    if (choice == choices) continue;
    apply_chain(state, choice);
    return true;
  }
  return false;
}

/// Changes loads as if all messages up to this state had left their paths, and the earlier ones had taken the choices
/// that they want; with sign -1 back again.
void StepPaths::change_tentatively(std::uint32_t state, int sign) {
  for (std::uint32_t at = state; at != no_id; at = states_[at].cause) {
    const std::uint32_t mover = states_[at].message;
    for (const LinkIndex link : route(mover, messages_[mover].choice)) tentative_[link] -= sign;
    if (states_[at].cause == no_id) break;
    const std::uint32_t causer = states_[states_[at].cause].message;
    for (const LinkIndex link : route(causer, states_[at].wanted)) tentative_[link] += sign;
  }
}

/// True if the choice has room. If one link of it is full, the messages on that link become states of their own.
bool StepPaths::try_choice(std::uint32_t state, std::uint32_t choice, double time) {
  LinkIndex full = no_id;
  for (const LinkIndex link : route(states_[state].message, choice)) {
    // The changes of a load together never go below zero: a message that leaves a link was on it.
    const std::uint32_t with_this = load(link) + static_cast<std::uint32_t>(tentative_[link]) + 1;
    if (time_of(link, with_this) <= time) continue;
    const bool one_too_many = time_of(link, with_this - 1) <= time;
    if (full != no_id || !one_too_many) return false;
    full = link;
  }
  if (full == no_id) return true;
  for (const std::uint32_t other : messages_on_[full]) {
    if (visit(other)) states_.push_back({other, state, choice});
  }
  return false;
}

void StepPaths::apply_chain(std::uint32_t state, std::uint32_t choice) {
  while (state != no_id) {
    const State at = states_[state];
    move(at.message, choice);
    choice = at.wanted;
    state = at.cause;
  }
}

}  // namespace ayatori
