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

/// Two endpoints on different leaves, with all messages from the ranks of one to those of the other.
struct Pair {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint32_t leaf = 0;  ///< of `from`
  std::uint32_t choice = 0;
  std::int32_t pairs_of_ranks = 0;
  std::size_t first_step = 0;  ///< into steps_of_pairs_
};

/// How many messages a pair has in a step.
struct StepOfPair {
  StepIndex step = 0;
  std::uint32_t messages = 0;
};

class TrafficSearch {
 public:
  TrafficSearch(const JobOnPaths& job, const TrafficWeights& traffics, const Plan& start,
                const SearchControl& control = {})
      : endpoints_(job.endpoints),
        paths_(job.paths),
        control_(control),
        ranks_(static_cast<Rank>(job.endpoints.rank_count())) {
    for (LinkIndex link = 0; link < paths_.link_count(); ++link) {
      const PortId port = paths_.port(link);
      weight_.push_back(static_cast<float>(job.weights[port]));
      const double of_others = traffics.of_others.empty() ? 0 : std::min(1.0, traffics.of_others[port]);
      others_.push_back(static_cast<float>(2 * of_others * job.weights[port]));
    }
    permutations_ = static_cast<float>(traffics.permutations);
    permutation_price_ = static_cast<float>(traffics.permutations * endpoints_.endpoint_count() /
                                            (static_cast<double>(ranks_) * ranks_));
    collect_pairs(start);
    collect_steps(traffics, IdealTime(job.network, job.endpoints, job.weights));
    load_.assign(ideal_.size() * weight_.size(), 0);
    all_.assign(weight_.size(), 0);
    sent_.assign(weight_.size() * endpoints_.endpoint_count(), 0);
    received_.assign(sent_.size(), 0);
    if (control_.stopped()) return;
    for (std::size_t pair = 0; pair + 1 < pairs_.size(); ++pair) put(pair, +1);
  }

  void run() {
    collect_movable();
    if (movable_.empty()) return;
    const std::uint64_t moves = std::min(max_moves, moves_per_pair * movable_.size());
    for (std::uint64_t move = 0; move < moves; ++move) {
      if (move % moves_between_looks == 0 && control_.stopped()) return;
      const double cooled = static_cast<double>(move) / (cooled_at * static_cast<double>(moves));
      try_move(messages_a_pair_ * std::max(last_temperature, first_temperature * (1 - cooled)));
    }
  }

  /// In permutations each two messages count once: half for each of them.
  [[nodiscard]] double price() {
    double sum = 0;
    for (std::size_t step = 0; step < ideal_.size(); ++step) {
      for (LinkIndex link = 0; link < weight_.size(); ++link) {
        const std::uint32_t load = load_[step * weight_.size() + link];
        for (std::uint32_t n = 1; n <= load; ++n) {
          sum += step_price_[step] *
                 (others_[link] + std::max(0.0F, static_cast<float>(n) * weight_[link] - ideal_[step]));
        }
      }
    }
    for (std::size_t pair = 0; pair + 1 < pairs_.size(); ++pair) {
      put(pair, -1);
      for (const LinkIndex link : route(pair, pairs_[pair].choice)) {
        sum += permutations_price(pairs_[pair], link) / 2 + price_of_others(pairs_[pair], link);
      }
      put(pair, +1);
    }
    return sum;
  }

  /// The path bits of all pairs of ranks: those that were searched for, and of the others those of `start`.
  [[nodiscard]] Plan plan(const Plan& start) const {
    std::vector<std::uint8_t> bits;
    for (Rank from = 0; from < ranks_; ++from) {
      for (Rank to = 0; to < ranks_; ++to) {
        const std::uint32_t pair = pair_of({from, to});
        bits.push_back(pair == no_id ? start.path_bits(from, to)
                                     : paths_.path_bits(pairs_[pair].to, pairs_[pair].choice));
      }
    }
    return Plan::per_pair(ranks_, std::move(bits));
  }

 private:
  /// In the order of the ranks.
  void collect_pairs(const Plan& start) {
    pair_of_.assign(std::size_t{endpoints_.endpoint_count()} * endpoints_.endpoint_count(), no_id);
    for (Rank from = 0; from < ranks_; ++from) {
      for (Rank to = 0; to < ranks_; ++to) {
        if (!endpoints_.crosses_leaves({from, to})) continue;
        std::uint32_t& pair = pair_of_[index({from, to})];
        if (pair == no_id) {
          const std::uint32_t sender = endpoints_.endpoint_of(from);
          const std::uint32_t receiver = endpoints_.endpoint_of(to);
          pair = static_cast<std::uint32_t>(pairs_.size());
          pairs_.push_back({sender, receiver, endpoints_.leaf(sender),
                            paths_.choice_with(receiver, start.path_bits(from, to)).value_or(0), 0, 0});
        }
        ++pairs_[pair].pairs_of_ranks;
        ++messages_a_pair_;
      }
    }
    messages_a_pair_ /= static_cast<double>(std::max<std::size_t>(1, pairs_.size()));
    pairs_.emplace_back();
  }

  /// Of each step: who sends to whom, what a message too many costs, and how long the endpoints take.
  void collect_steps(const TrafficWeights& traffics, IdealTime ideal) {
    std::vector<std::pair<std::uint32_t, StepOfPair>> found;
    std::vector<std::uint32_t> messages_of(pairs_.size(), 0);
    std::vector<Message> messages;
    for (const WeighedSteps& traffic : traffics.known) {
      const std::size_t count = traffic.steps.step_count();
      for (std::size_t s = 0; s < count && !control_.stopped(); ++s) {
        traffic.steps.step(s, messages);
        for (const Message& message : messages) {
          if (endpoints_.crosses_leaves(message)) ++messages_of[pair_of(message)];
        }
        for (const Message& message : messages) {
          if (!endpoints_.crosses_leaves(message)) continue;
          const std::uint32_t pair = pair_of(message);
          if (messages_of[pair] == 0) continue;  // this pair was met
          found.push_back({pair, {step_index(), std::exchange(messages_of[pair], 0)}});
          ++pairs_[pair + 1].first_step;
        }
        ideal_.push_back(static_cast<float>(ideal.of(messages)));
        step_price_.push_back(static_cast<float>(traffic.weight * (ranks_ - 1.0) / static_cast<double>(count)));
      }
    }
    for (std::size_t pair = 1; pair < pairs_.size(); ++pair) pairs_[pair].first_step += pairs_[pair - 1].first_step;
    std::vector<std::size_t> next;
    for (const Pair& pair : pairs_) next.push_back(pair.first_step);
    steps_of_pairs_.resize(found.size());
    for (const auto& [pair, step] : found) steps_of_pairs_[next[pair]++] = step;
  }

  [[nodiscard]] StepIndex step_index() const { return static_cast<StepIndex>(ideal_.size()); }
  [[nodiscard]] std::size_t index(const Message& m) const {
    return std::size_t{endpoints_.endpoint_of(m.from)} * endpoints_.endpoint_count() + endpoints_.endpoint_of(m.to);
  }
  /// no_id within a leaf
  [[nodiscard]] std::uint32_t pair_of(const Message& m) const { return pair_of_[index(m)]; }

  void collect_movable() {
    for (std::uint32_t pair = 0; pair + 1 < pairs_.size(); ++pair) {
      if (paths_.choice_count(pairs_[pair].to) > 1) movable_.push_back(pair);
    }
  }

  [[nodiscard]] std::span<const LinkIndex> route(std::size_t pair, std::uint32_t choice) const {
    return paths_.route(pairs_[pair].leaf, pairs_[pair].to, choice);
  }

  [[nodiscard]] std::span<const StepOfPair> steps_of(std::size_t pair) const {
    const std::size_t begin = pairs_[pair].first_step;
    return {steps_of_pairs_.data() + begin, pairs_[pair + 1].first_step - begin};
  }

  void put(std::size_t pair, int sign) {
    const std::size_t endpoints = endpoints_.endpoint_count();
    const std::int32_t messages = sign * pairs_[pair].pairs_of_ranks;
    for (const LinkIndex link : route(pair, pairs_[pair].choice)) {
      for (const StepOfPair& of : steps_of(pair)) {
        load_[of.step * weight_.size() + link] += sign * static_cast<std::int32_t>(of.messages);
      }
      all_[link] += messages;
      sent_[link * endpoints + pairs_[pair].from] += messages;
      received_[link * endpoints + pairs_[pair].to] += messages;
    }
  }

  /// What the messages on a link cost those of one more pair, which may share it with them in a permutation.
  [[nodiscard]] float permutations_price(const Pair& pair, LinkIndex link) const {
    const std::size_t endpoints = endpoints_.endpoint_count();
    const auto others = static_cast<float>(all_[link]) - static_cast<float>(sent_[link * endpoints + pair.from]) -
                        static_cast<float>(received_[link * endpoints + pair.to]);
    return permutation_price_ * weight_[link] * others * static_cast<float>(pair.pairs_of_ranks);
  }

  /// What messages of other jobs on a link cost those of a pair in permutations.
  [[nodiscard]] float price_of_others(const Pair& pair, LinkIndex link) const {
    return permutations_ * others_[link] * static_cast<float>(pair.pairs_of_ranks);
  }

  /// What a pair costs, which has no path now, by one of its choices.
  [[nodiscard]] float price_by(std::size_t pair, std::uint32_t choice) const {
    float sum = 0;
    for (const LinkIndex link : route(pair, choice)) {
      for (const StepOfPair& of : steps_of(pair)) {
        const auto load = static_cast<float>(load_[of.step * weight_.size() + link]);
        for (std::uint32_t n = 1; n <= of.messages; ++n) {
          const float time = (load + static_cast<float>(n)) * weight_[link];
          sum += step_price_[of.step] * (others_[link] + std::max(0.0F, time - ideal_[of.step]));
        }
      }
      sum += permutations_price(pairs_[pair], link) + price_of_others(pairs_[pair], link);
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
  const SearchControl control_;
  Rank ranks_;
  std::vector<float> weight_;  // by link
  std::vector<float> others_;  // by link: what a message costs that shares it with other jobs
  std::vector<float> ideal_;   // by step
  std::vector<float> step_price_;
  float permutations_ = 0;  // their weight
  float permutation_price_ = 0;
  std::vector<Pair> pairs_;             // and an end
  std::vector<std::uint32_t> pair_of_;  // by sending and receiving endpoint; no_id: within a leaf
  double messages_a_pair_ = 0;          // in the mean, if each rank sends one to each
  std::vector<StepOfPair> steps_of_pairs_;
  std::vector<std::uint32_t> movable_;  // pairs with several choices
  std::vector<std::int32_t> load_;      // by step and link
  std::vector<std::int32_t> all_;       // by link: pairs of ranks on it
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
  TrafficSearch search(job, traffics, start, control);
  if (control.stopped()) return start;
  search.run();
  return search.plan(start);
}

bool can_be_searched_for_traffics(const JobOnPaths& job, const TrafficWeights& traffics) {
  const std::uint64_t endpoints = job.endpoints.endpoint_count();
  const std::uint64_t pairs_of_ranks = std::uint64_t{job.endpoints.rank_count()} * job.endpoints.rank_count();
  const std::uint64_t pairs = endpoints * endpoints;
  const std::uint64_t messages_a_pair = pairs_of_ranks / std::max<std::uint64_t>(1, pairs);
  std::uint64_t columns = 2 * endpoints;
  std::uint64_t steps_a_pair = 0;
  for (const WeighedSteps& traffic : traffics.known) {
    columns += traffic.steps.step_count();
    steps_a_pair += std::min<std::uint64_t>(traffic.steps.step_count(), messages_a_pair);
  }
  return columns * job.paths.link_count() <= max_table_entries &&
         pairs * std::max<std::uint64_t>(1, steps_a_pair) <= max_table_entries;
}

}  // namespace ayatori
