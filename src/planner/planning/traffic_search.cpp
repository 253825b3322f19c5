#include "traffic_search.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ayatori/base/random.hpp"

namespace ayatori {

namespace {

/// Enough for a pair to try each of some ten paths at every temperature.
constexpr std::uint64_t moves_per_pair = 250;
/// Of a search: a few seconds.
constexpr std::uint64_t max_moves = 2'000'000;
/// Loads of links by step, and of links by sender and receiver.
constexpr std::uint64_t max_table_entries = 1U << 27;
/// In units of the price of two messages of one step of an all-to-all on one link: at first, a detour that costs half
/// of it is often taken, and in the last tenth of the moves hardly any.
constexpr double first_temperature = 0.4;
constexpr double last_temperature = 0.002;
constexpr double cooled_at = 0.9;
constexpr std::uint64_t moves_between_looks = 1U << 14;  ///< at the control

using StepIndex = std::uint32_t;

/// A message that leaves its leaf in some step of a traffic.
struct Pair {
  std::uint32_t from = 0;  ///< endpoints
  std::uint32_t to = 0;
  std::uint32_t leaf = 0;  ///< of `from`
  std::uint32_t choice = 0;
  std::size_t first_step = 0;  ///< into steps_of_pairs_
};

class TrafficSearch {
 public:
  TrafficSearch(const JobOnPaths& job, const TrafficWeights& traffics, const Plan& start)
      : endpoints_(job.endpoints), paths_(job.paths), ranks_(static_cast<Rank>(job.endpoints.rank_count())) {
    for (LinkIndex link = 0; link < paths_.link_count(); ++link) {
      weight_.push_back(static_cast<float>(job.weights[paths_.port(link)]));
    }
    collect_steps(traffics, IdealTime(job.network, job.endpoints, job.weights));
    permutation_price_ = static_cast<float>(traffics.permutations / std::max<double>(1, ranks_));
    load_.assign(ideal_.size() * weight_.size(), 0);
    all_.assign(weight_.size(), 0);
    sent_.assign(weight_.size() * endpoints_.endpoint_count(), 0);
    received_.assign(sent_.size(), 0);
    collect_pairs(start);
    for (std::size_t pair = 0; pair + 1 < pairs_.size(); ++pair) put(pair, +1);
  }

  void run(const SearchControl& control) {
    collect_movable();
    if (movable_.empty()) return;
    const std::uint64_t moves = std::min(max_moves, moves_per_pair * movable_.size());
    for (std::uint64_t move = 0; move < moves; ++move) {
      if (move % moves_between_looks == 0 && control.stopped()) return;
      const double cooled = static_cast<double>(move) / (cooled_at * static_cast<double>(moves));
      try_move(std::max(last_temperature, first_temperature * (1 - cooled)));
    }
  }

  /// In permutations each two pairs count once: half for each of them.
  [[nodiscard]] double price() {
    double sum = 0;
    for (std::size_t step = 0; step < ideal_.size(); ++step) {
      for (LinkIndex link = 0; link < weight_.size(); ++link) {
        const std::uint32_t load = load_[step * weight_.size() + link];
        for (std::uint32_t n = 1; n <= load; ++n) {
          sum += step_price_[step] * std::max(0.0F, static_cast<float>(n) * weight_[link] - ideal_[step]);
        }
      }
    }
    for (std::size_t pair = 0; pair + 1 < pairs_.size(); ++pair) {
      put(pair, -1);
      for (const LinkIndex link : route(pair, pairs_[pair].choice)) sum += others_price(pairs_[pair], link) / 2;
      put(pair, +1);
    }
    return sum;
  }

  /// The path bits of all pairs: those that were searched for, and of the others those of `start`.
  [[nodiscard]] Plan plan(const Plan& start) const {
    std::vector<std::uint8_t> bits;
    for (Rank from = 0; from < ranks_; ++from) {
      for (Rank to = 0; to < ranks_; ++to) {
        const std::uint32_t pair = pair_of_[std::size_t{from} * ranks_ + to];
        bits.push_back(pair == no_id ? start.path_bits(from, to)
                                     : paths_.path_bits(pairs_[pair].to, pairs_[pair].choice));
      }
    }
    return Plan::per_pair(ranks_, std::move(bits));
  }

 private:
  /// Of each step: who sends to whom, what a message too many costs, and how long the endpoints take.
  void collect_steps(const TrafficWeights& traffics, IdealTime ideal) {
    std::vector<Message> messages;
    for (const WeighedSteps& traffic : traffics.known) {
      const std::size_t count = traffic.steps.step_count();
      for (std::size_t s = 0; s < count; ++s) {
        traffic.steps.step(s, messages);
        for (const Message& message : messages) {
          if (endpoints_.crosses_leaves(message)) pairs_and_steps_.emplace_back(pair_number(message), step_index());
        }
        ideal_.push_back(static_cast<float>(ideal.of(messages)));
        step_price_.push_back(static_cast<float>(traffic.weight * (ranks_ - 1.0) / static_cast<double>(count)));
      }
    }
  }

  [[nodiscard]] StepIndex step_index() const { return static_cast<StepIndex>(ideal_.size()); }
  [[nodiscard]] std::uint64_t pair_number(const Message& m) const { return std::uint64_t{m.from} * ranks_ + m.to; }

  void collect_pairs(const Plan& start) {
    std::ranges::sort(pairs_and_steps_);
    pair_of_.assign(std::size_t{ranks_} * ranks_, no_id);
    std::size_t next = 0;
    for (Rank from = 0; from < ranks_; ++from) {
      for (Rank to = 0; to < ranks_; ++to) {
        if (!endpoints_.crosses_leaves({from, to})) continue;
        const std::uint64_t number = pair_number({from, to});
        const std::uint32_t endpoint = endpoints_.endpoint_of(to);
        pair_of_[number] = static_cast<std::uint32_t>(pairs_.size());
        pairs_.push_back({endpoints_.endpoint_of(from), endpoint, endpoints_.leaf(endpoints_.endpoint_of(from)),
                          paths_.choice_with(endpoint, start.path_bits(from, to)).value_or(0), steps_of_pairs_.size()});
        for (; next < pairs_and_steps_.size() && pairs_and_steps_[next].first == number; ++next) {
          steps_of_pairs_.push_back(pairs_and_steps_[next].second);
        }
      }
    }
    pairs_.push_back({0, 0, 0, 0, steps_of_pairs_.size()});
    pairs_and_steps_ = {};
  }

  void collect_movable() {
    for (std::uint32_t pair = 0; pair + 1 < pairs_.size(); ++pair) {
      if (paths_.choice_count(pairs_[pair].to) > 1) movable_.push_back(pair);
    }
  }

  [[nodiscard]] std::span<const LinkIndex> route(std::size_t pair, std::uint32_t choice) const {
    return paths_.route(pairs_[pair].leaf, pairs_[pair].to, choice);
  }

  [[nodiscard]] std::span<const StepIndex> steps_of(std::size_t pair) const {
    const std::size_t begin = pairs_[pair].first_step;
    return {steps_of_pairs_.data() + begin, pairs_[pair + 1].first_step - begin};
  }

  void put(std::size_t pair, int sign) {
    const std::size_t endpoints = endpoints_.endpoint_count();
    for (const LinkIndex link : route(pair, pairs_[pair].choice)) {
      for (const StepIndex step : steps_of(pair)) load_[step * weight_.size() + link] += sign;
      all_[link] += sign;
      sent_[link * endpoints + pairs_[pair].from] += sign;
      received_[link * endpoints + pairs_[pair].to] += sign;
    }
  }

  /// What the pairs on a link cost one more that it may share with them in a permutation.
  [[nodiscard]] float others_price(const Pair& pair, LinkIndex link) const {
    const std::size_t endpoints = endpoints_.endpoint_count();
    const auto others = static_cast<float>(all_[link]) - static_cast<float>(sent_[link * endpoints + pair.from]) -
                        static_cast<float>(received_[link * endpoints + pair.to]);
    return permutation_price_ * weight_[link] * others;
  }

  /// What a pair costs, which has no path now, by one of its choices.
  [[nodiscard]] float price_by(std::size_t pair, std::uint32_t choice) const {
    float sum = 0;
    for (const LinkIndex link : route(pair, choice)) {
      for (const StepIndex step : steps_of(pair)) {
        const float time = static_cast<float>(load_[step * weight_.size() + link] + 1) * weight_[link];
        sum += step_price_[step] * std::max(0.0F, time - ideal_[step]);
      }
      sum += others_price(pairs_[pair], link);
    }
    return sum;
  }

  void try_move(double temperature) {
    const std::uint32_t pair = movable_[random_.below(movable_.size())];
    const std::uint32_t old = pairs_[pair].choice;
    auto other = static_cast<std::uint32_t>(random_.below(paths_.choice_count(pairs_[pair].to) - 1));
    other += other >= old ? 1 : 0;
    put(pair, -1);
    const double more = price_by(pair, other) - price_by(pair, old);
    if (more <= 0 || random_.fraction() < std::exp(-more / temperature)) pairs_[pair].choice = other;
    put(pair, +1);
  }

  const JobEndpoints& endpoints_;
  const JobPaths& paths_;
  Rank ranks_;
  std::vector<float> weight_;                                         // by link
  std::vector<std::pair<std::uint64_t, StepIndex>> pairs_and_steps_;  // pairs by number, and a step of each
  std::vector<float> ideal_;                                          // by step
  std::vector<float> step_price_;
  float permutation_price_ = 0;
  std::vector<Pair> pairs_;             // and an end
  std::vector<std::uint32_t> pair_of_;  // by source and destination rank; no_id: within a leaf
  std::vector<StepIndex> steps_of_pairs_;
  std::vector<std::uint32_t> movable_;  // pairs with several choices
  std::vector<std::int32_t> load_;      // by step and link
  std::vector<std::int32_t> all_;       // by link: pairs on it
  std::vector<std::int32_t> sent_;      // by link and endpoint
  std::vector<std::int32_t> received_;
  Random random_{1};
};

}  // namespace

double price_for_traffics(const JobOnPaths& job, const TrafficWeights& traffics, const Plan& plan) {
  return TrafficSearch(job, traffics, plan).price();
}

Plan paths_for_traffics(const JobOnPaths& job, const TrafficWeights& traffics, const Plan& start,
                        const SearchControl& control) {
  TrafficSearch search(job, traffics, start);
  search.run(control);
  return search.plan(start);
}

bool can_be_searched_for_traffics(const JobOnPaths& job, const TrafficWeights& traffics) {
  std::uint64_t columns = 2 * std::uint64_t{job.endpoints.endpoint_count()};
  for (const WeighedSteps& traffic : traffics.known) columns += traffic.steps.step_count();
  const std::uint64_t pairs = std::uint64_t{job.endpoints.rank_count()} * job.endpoints.rank_count();
  return columns * job.paths.link_count() <= max_table_entries &&
         pairs * std::max<std::size_t>(1, traffics.known.size()) <= max_table_entries;
}

}  // namespace ayatori
