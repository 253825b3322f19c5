#include "priced_paths.hpp"

#include <algorithm>
#include <limits>

#include "rounding.hpp"

namespace ayatori {

namespace {

constexpr std::size_t max_moves = 24;  ///< in a chain
constexpr std::uint64_t detours = 4;   ///< one of so many messages that are driven away goes just anywhere

}  // namespace

PricedPaths::PricedPaths(const JobPaths& paths, const LinkWeights& weights)
    : paths_(paths), room_(paths.link_count(), 0), messages_on_(paths.link_count()) {
  for (LinkIndex link = 0; link < paths.link_count(); ++link) weight_.push_back(weights[paths.port(link)]);
}

void PricedPaths::start(std::vector<StepMessage> messages, double time, std::span<const double> prices) {
  for (std::uint32_t m = 0; m < messages_.size(); ++m) {
    for (const LinkIndex link : route(m, messages_[m].choice)) messages_on_[link].clear();
  }
  if (time != time_) {
    for (LinkIndex link = 0; link < room_.size(); ++link) room_[link] = capacity(time, weight_[link]);
  }
  time_ = time;
  prices_ = prices;
  messages_ = std::move(messages);
  movable_.clear();
  cost_ = 0;
  for (std::uint32_t m = 0; m < messages_.size(); ++m) {
    if (!messages_[m].fixed && choices(m) > 1) movable_.push_back(m);
    put(m);
  }
}

double PricedPaths::price(LinkIndex link, std::size_t load) const {
  if (load == 0) return 0;
  const double excess = load > room_[link] ? static_cast<double>(load) * weight_[link] - time_ : 0;
  return prices_[link] + hot * excess * (excess + 1) / 2;
}

void PricedPaths::put(std::uint32_t message) {
  for (const LinkIndex link : route(message, messages_[message].choice)) {
    auto& sharing = messages_on_[link];
    cost_ += price(link, sharing.size() + 1) - price(link, sharing.size());
    sharing.push_back(message);
  }
}

void PricedPaths::take(std::uint32_t message) {
  for (const LinkIndex link : route(message, messages_[message].choice)) {
    auto& sharing = messages_on_[link];
    cost_ += price(link, sharing.size() - 1) - price(link, sharing.size());
    *std::find(sharing.begin(), sharing.end(), message) = sharing.back();
    sharing.pop_back();
  }
}

void PricedPaths::move(std::uint32_t message, std::uint32_t choice) {
  trail_.emplace_back(message, messages_[message].choice);
  take(message);
  messages_[message].choice = choice;
  put(message);
}

/// Of a message that is on no link now.
std::uint32_t PricedPaths::cheapest_choice(std::uint32_t message, std::uint32_t except) {
  std::uint32_t best = messages_[message].choice;
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t choice = 0; choice < choices(message); ++choice) {
    if (choice == except) continue;
    double added = 0;
    for (const LinkIndex link : route(message, choice)) {
      added += price(link, messages_on_[link].size() + 1) - price(link, messages_on_[link].size());
    }
    if (added >= least) continue;
    least = added;
    best = choice;
  }
  looked_at_ += choices(message);
  return best;
}

void PricedPaths::choose_cheapest() {
  for (const std::uint32_t message : movable_) take(message);
  for (const std::uint32_t message : movable_) {
    messages_[message].choice = cheapest_choice(message, no_id);
    put(message);
  }
}

void PricedPaths::choose(std::span<const std::uint32_t> choices) {
  for (std::uint32_t message = 0; message < choices.size(); ++message) move(message, choices[message]);
  trail_.clear();
}

/// A message on a link that is too full since this one took it, or no_id.
std::uint32_t PricedPaths::driven_away_by(std::uint32_t message, Random& random) const {
  for (const LinkIndex link : route(message, messages_[message].choice)) {
    const auto& sharing = messages_on_[link];
    if (sharing.size() <= room_[link] || sharing.size() < 2) continue;
    const std::uint32_t other = sharing[random.below(sharing.size() - 1)];  // the message itself came last
    if (!messages_[other].fixed && choices(other) > 1) return other;
  }
  return no_id;
}

void PricedPaths::move_in_chain(std::uint32_t message, std::uint32_t choice, Random& random) {
  move(message, choice);
  for (std::size_t moves = 1; moves < max_moves; ++moves) {
    const std::uint32_t other = driven_away_by(message, random);
    if (other == no_id) return;
    const std::uint32_t before = messages_[other].choice;
    std::uint32_t next = (before + 1 + static_cast<std::uint32_t>(random.below(choices(other) - 1))) % choices(other);
    if (random.below(detours) != 0) {
      take(other);
      next = cheapest_choice(other, before);
      put(other);
    }
    move(other, next);
    message = other;
  }
}

void PricedPaths::undo() {
  for (; !trail_.empty(); trail_.pop_back()) {
    const auto [message, choice] = trail_.back();
    take(message);
    messages_[message].choice = choice;
    put(message);
  }
}

void PricedPaths::improve(std::uint64_t effort, double first_threshold, Random& random) {
  if (movable_.empty()) return;
  std::vector<StepMessage> best = messages_;
  double best_cost = cost_;
  const std::uint64_t begin = looked_at_;
  while (looked_at_ - begin < effort) {
    const double done = static_cast<double>(looked_at_ - begin) / static_cast<double>(effort);
    const double left = (1 - done) * (1 - done);
    const double threshold = first_threshold * left * left;
    const std::uint32_t message = movable_[random.below(movable_.size())];
    const auto step = static_cast<std::uint32_t>(1 + random.below(choices(message) - 1));
    const double before = cost_;
    trail_.clear();
    move_in_chain(message, (messages_[message].choice + step) % choices(message), random);
    looked_at_ += 1 + trail_.size();
    if (cost_ - before > threshold * random.fraction()) {
      undo();
      cost_ = before;
    }
    if (cost_ >= best_cost - least_gain) continue;
    best_cost = cost_;
    best = messages_;
  }
  std::vector<std::uint32_t> changed;
  for (const std::uint32_t message : movable_) {
    if (messages_[message].choice != best[message].choice) changed.push_back(message);
  }
  for (const std::uint32_t message : changed) move(message, best[message].choice);
  trail_.clear();
}

}  // namespace ayatori
