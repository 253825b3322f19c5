#include "step_search.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>

#include "ayatori/base/random.hpp"

namespace ayatori {

namespace {

using MessageNumber = std::uint32_t;

/// What a message occupies in its step: a *place* of each thing that it uses. An endpoint that sends, one that receives
/// and a link of capacity 1 are one place, other links as many as their capacity.
class Placement {
 public:
  explicit Placement(const PairLinks& links) : links_(links) {
    const std::uint32_t endpoints = links.endpoint_count();
    count_ = 2 * endpoints;
    for (PairLinks::Link link = 0; link < links.link_count(); ++link) {
      first_.push_back(count_);
      count_ += links.capacity(link);
    }
  }

  [[nodiscard]] std::uint32_t count() const { return count_; }

  /// Calls `visit(first place, number of places)` with each thing.
  template <typename Visit>
  void for_each(std::uint32_t from, std::uint32_t to, Visit&& visit) const {
    visit(from, 1U);
    visit(links_.endpoint_count() + to, 1U);
    for (const PairLinks::Link link : links_.of(from, to)) visit(first_[link], links_.capacity(link));
  }

 private:
  const PairLinks& links_;
  std::vector<std::uint32_t> first_;  // by link
  std::uint32_t count_ = 0;
};

class StepSearch {
 public:
  StepSearch(const PairLinks& links, std::size_t steps)
      : endpoints_(links.endpoint_count()),
        placement_(links),
        steps_(steps),
        owner_(placement_.count() * steps, nobody),
        step_of_(std::size_t{endpoints_} * endpoints_, no_step),
        weight_(step_of_.size(), 1),
        left_step_(step_of_.size(), no_step) {}

  void run(std::uint64_t effort, const SearchControl& control) {
    for (const MessageNumber message : hardest_first()) {
      if (!place_freely(message)) waiting_.push_back(message);
    }
    while (!waiting_.empty() && effort > cost_of_a_look() && !control.stopped()) {
      effort -= cost_of_a_look();
      const std::size_t chosen = random_.below(waiting_.size());
      std::swap(waiting_[chosen], waiting_.back());
      const MessageNumber message = waiting_.back();
      waiting_.pop_back();
      push_into(message, cheapest_step(message));
    }
  }

  /// Those that found no step get further ones, wherever they fit first.
  [[nodiscard]] std::vector<std::uint32_t> table() {
    std::vector<std::uint32_t> destinations(steps_ * endpoints_, no_id);
    for (MessageNumber message = 0; message < step_of_.size(); ++message) {
      if (step_of_[message] != no_step) destinations[step_of_[message] * endpoints_ + from(message)] = to(message);
    }
    std::sort(waiting_.begin(), waiting_.end());
    while (!waiting_.empty()) add_step(destinations);
    return destinations;
  }

 private:
  static constexpr MessageNumber nobody = std::numeric_limits<MessageNumber>::max();
  static constexpr std::uint32_t no_step = std::numeric_limits<std::uint32_t>::max();

  [[nodiscard]] std::uint32_t from(MessageNumber message) const { return message / endpoints_; }
  [[nodiscard]] std::uint32_t to(MessageNumber message) const { return message % endpoints_; }
  [[nodiscard]] std::uint64_t cost_of_a_look() const { return steps_ * 6; }

  template <typename Visit>
  void for_each_thing(MessageNumber message, Visit&& visit) const {
    placement_.for_each(from(message), to(message), visit);
  }

  [[nodiscard]] MessageNumber& owner(std::uint32_t place, std::size_t step) { return owner_[place * steps_ + step]; }

  /// By the load of the busiest thing that they use, then by number.
  [[nodiscard]] std::vector<MessageNumber> hardest_first() const {
    std::vector<double> load(placement_.count(), 0);
    const auto put = [&](std::uint32_t first, std::uint32_t count) { load[first] += 1.0 / count; };
    for_each_message([&](MessageNumber message) { for_each_thing(message, put); });
    std::vector<double> busiest(step_of_.size(), 0);
    std::vector<MessageNumber> order;
    for_each_message([&](MessageNumber message) {
      for_each_thing(message, [&](std::uint32_t first, std::uint32_t) {
        busiest[message] = std::max(busiest[message], load[first]);
      });
      order.push_back(message);
    });
    std::stable_sort(order.begin(), order.end(),
                     [&](MessageNumber a, MessageNumber b) { return busiest[a] > busiest[b]; });
    return order;
  }

  template <typename Visit>
  void for_each_message(Visit&& visit) const {
    for (MessageNumber message = 0; message < step_of_.size(); ++message) {
      if (from(message) != to(message)) visit(message);
    }
  }

  /// The first step, beginning with that of the shift, in which all places are free.
  bool place_freely(MessageNumber message) {
    const std::size_t begin = (to(message) + endpoints_ - from(message) - 1) % endpoints_;
    for (std::size_t i = 0; i < steps_; ++i) {
      const std::size_t step = (begin + i) % steps_;
      if (pushed_out(message, step) != 0) continue;
      put(message, step);
      return true;
    }
    return false;
  }

  /// The sum of the weights of those who would have to go.
  [[nodiscard]] std::uint64_t pushed_out(MessageNumber message, std::size_t step) {
    std::uint64_t sum = 0;
    for_each_thing(message, [&](std::uint32_t first, std::uint32_t count) {
      const MessageNumber victim = victim_at(first, count, step);
      if (victim != nobody) sum += weight_[victim];
    });
    return sum;
  }

  /// Whoever has to go so that one of these places is free: nobody, or the owner of least weight.
  [[nodiscard]] MessageNumber victim_at(std::uint32_t first, std::uint32_t count, std::size_t step) {
    MessageNumber victim = owner(first, step);
    for (std::uint32_t place = first; place < first + count; ++place) {
      const MessageNumber there = owner(place, step);
      if (there == nobody) return nobody;
      if (weight_[there] < weight_[victim]) victim = there;
    }
    return victim;
  }

  /// Not the step that it was pushed out of last, if there is another one.
  [[nodiscard]] std::size_t cheapest_step(MessageNumber message) {
    std::size_t best = 0;
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t as_good = 0;
    for (std::size_t step = 0; step < steps_; ++step) {
      if (step == left_step_[message] && steps_ > 1) continue;
      const std::uint64_t sum = pushed_out(message, step);
      if (sum > least) continue;
      as_good = sum < least ? 1 : as_good + 1;
      least = sum;
      if (random_.below(as_good) == 0) best = step;
    }
    return best;
  }

  void push_into(MessageNumber message, std::size_t step) {
    for_each_thing(message, [&](std::uint32_t first, std::uint32_t count) {
      const MessageNumber victim = victim_at(first, count, step);
      if (victim == nobody) return;
      take_out(victim, step);
      ++weight_[victim];
      left_step_[victim] = static_cast<std::uint32_t>(step);
      waiting_.push_back(victim);
    });
    put(message, step);
  }

  void put(MessageNumber message, std::size_t step) {
    step_of_[message] = static_cast<std::uint32_t>(step);
    for_each_thing(message, [&](std::uint32_t first, std::uint32_t) {
      std::uint32_t place = first;
      while (owner(place, step) != nobody) ++place;
      owner(place, step) = message;
    });
  }

  void take_out(MessageNumber message, std::size_t step) {
    step_of_[message] = no_step;
    for_each_thing(message, [&](std::uint32_t first, std::uint32_t) {
      std::uint32_t place = first;
      while (owner(place, step) != message) ++place;
      owner(place, step) = nobody;
    });
  }

  /// One more step, with all waiting messages that fit together.
  void add_step(std::vector<std::uint32_t>& destinations) {
    const std::size_t begin = destinations.size();
    destinations.resize(begin + endpoints_, no_id);
    std::vector<bool> used(placement_.count(), false);
    std::erase_if(waiting_, [&](MessageNumber message) {
      bool fits = true;
      for_each_thing(message, [&](std::uint32_t first, std::uint32_t count) {
        fits = fits && !std::all_of(used.begin() + first, used.begin() + first + count, [](bool is) { return is; });
      });
      if (!fits) return false;
      for_each_thing(message, [&](std::uint32_t first, std::uint32_t) {
        *std::find(used.begin() + first, used.end(), false) = true;
      });
      destinations[begin + from(message)] = to(message);
      return true;
    });
  }

  std::uint32_t endpoints_;
  Placement placement_;
  std::size_t steps_;
  std::vector<MessageNumber> owner_;      // by place and step
  std::vector<std::uint32_t> step_of_;    // by message
  std::vector<std::uint32_t> weight_;     // by message: 1, and once more each time that it was pushed out
  std::vector<std::uint32_t> left_step_;  // by message: the step that it was pushed out of last
  std::vector<MessageNumber> waiting_;
  Random random_{1};
};

}  // namespace

std::vector<std::uint32_t> searched_steps(const PairLinks& links, std::size_t steps, std::uint64_t effort,
                                          const SearchControl& control) {
  StepSearch search(links, std::max<std::size_t>(1, steps));
  search.run(effort, control);
  return search.table();
}

}  // namespace ayatori
