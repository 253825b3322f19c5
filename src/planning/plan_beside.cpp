#include "ayatori/planning/plan_beside.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "ayatori/base/random.hpp"
#include "ayatori/contention/beside.hpp"
#include "ayatori/contention/contention.hpp"
#include "ayatori/planning/make_plan.hpp"
#include "free_paths.hpp"
#include "leaf_bound.hpp"
#include "meeting_bound.hpp"
#include "priced_paths.hpp"

namespace ayatori {

namespace {

constexpr std::uint64_t total_effort = 60'000'000;  ///< choices looked at, over all steps and sweeps
constexpr std::uint64_t effort_a_choice = 150;      ///< of each message of a step, at most
constexpr std::uint64_t min_effort = 10'000;        ///< of a step of a job of few messages
constexpr std::uint64_t colouring_budget = 20'000;  ///< tries of the exact search, a step
constexpr std::uint64_t many_messages = 50'000;     ///< of a job, over all steps: they are planned once only
constexpr int max_sweeps = 3;                       ///< over all steps
constexpr double first_threshold = 0.25;            ///< of a search for fewer meetings
constexpr double least_excess = 0.01;               ///< of PricedPaths::hot: more than all prices of a step
constexpr std::uint8_t undecided = 0xFF;

/// Prices of links for one step. With P_k(l) how likely k others or more use link l at one moment, and w_k how likely
/// no link of the step has so many, which would make its delay longer anyway, a link costs Σ_k w_k · P_k(l): about what
/// it adds to the expected time of the step, which is that of its busiest link. Beside that, a step pays `first_use`
/// for a link that no other step of the job uses, less for one that several use, and a little for each top router, more
/// for those that others use more: so the steps of a job use the same few links.
class Prices {
 public:
  static constexpr double least_weight = 0.05;  ///< of w_k: also in a crowd fewer meetings are better

  Prices(const Network& network, const JobPaths& paths, std::vector<double> meeting, std::vector<Crowd> crowd)
      : meeting_(std::move(meeting)),
        crowd_(std::move(crowd)),
        preference_(paths.link_count(), 0),
        used_(paths.link_count(), 0) {
    prefer_quiet_tops(network, paths);
  }

  void add_step(const JobPaths& paths, std::span<const StepMessage> messages, int sign) {
    touched_.clear();
    for (const StepMessage& message : messages) {
      const auto route = paths.route(message.leaf, message.endpoint, message.choice);
      touched_.insert(touched_.end(), route.begin(), route.end());
    }
    std::sort(touched_.begin(), touched_.end());
    touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
    for (const LinkIndex link : touched_) used_[link] += sign;
  }

  /// p(l) alone, by link.
  [[nodiscard]] const std::vector<double>& meeting() const { return meeting_; }

  /// w_k of a step with these paths.
  [[nodiscard]] Crowd weights(const JobPaths& paths, std::span<const StepMessage> messages) const {
    Crowd weights;
    weights.fill(1);
    for (const StepMessage& message : messages) {
      for (const LinkIndex link : paths.route(message.leaf, message.endpoint, message.choice)) {
        for (std::size_t k = 0; k < weights.size(); ++k) weights[k] *= 1 - crowd_[link][k];
      }
    }
    for (double& weight : weights) weight = std::max(weight, least_weight);
    return weights;
  }

  [[nodiscard]] std::vector<double> of_step(double first_use, const Crowd& weights) const {
    std::vector<double> prices(meeting_.size());
    for (LinkIndex link = 0; link < prices.size(); ++link) {
      const auto used = static_cast<double>(used_[link]);
      const double own = std::sqrt(used + 1) - std::sqrt(used) + preference_[link];
      prices[link] = first_use * own;
      for (std::size_t k = 0; k < weights.size(); ++k) prices[link] += weights[k] * crowd_[link][k];
    }
    return prices;
  }

 private:
  static constexpr double last_place = 0.5;  ///< in units of first_use: price of the top router that is used most

  void prefer_quiet_tops(const Network& network, const JobPaths& paths) {
    std::vector<std::pair<double, DeviceId>> tops;
    std::vector<std::uint32_t> number(network.router_count(), no_id);
    const std::vector<DeviceId> top_of = tops_of_links(network, paths);
    for (LinkIndex link = 0; link < paths.link_count(); ++link) {
      if (top_of[link] == no_id) continue;
      std::uint32_t& top = number[top_of[link]];
      if (top == no_id) {
        top = static_cast<std::uint32_t>(tops.size());
        tops.emplace_back(0, top_of[link]);
      }
      tops[top].first += meeting_[link];
    }
    std::sort(tops.begin(), tops.end());
    std::vector<double> price(network.router_count(), 0);
    for (std::size_t place = 0; place < tops.size(); ++place) {
      price[tops[place].second] = last_place * static_cast<double>(place) / static_cast<double>(tops.size());
    }
    for (LinkIndex link = 0; link < paths.link_count(); ++link) {
      if (top_of[link] != no_id) preference_[link] = price[top_of[link]];
    }
  }

  /// The router in the middle of the routes that use a link, for the two links beside it.
  static std::vector<DeviceId> tops_of_links(const Network& network, const JobPaths& paths) {
    std::vector<DeviceId> top_of(paths.link_count(), no_id);
    for (std::uint32_t endpoint = 0; endpoint < paths.endpoint_count(); ++endpoint) {
      for (std::uint32_t choice = 0; choice < paths.choice_count(endpoint); ++choice) {
        for (std::uint32_t leaf = 0; leaf < paths.leaf_count(); ++leaf) {
          const auto route = paths.route(leaf, endpoint, choice);
          if (route.size() < 2 || route.size() % 2 != 0) continue;
          const LinkIndex up = route[route.size() / 2 - 1];
          const DeviceId top = network.port(network.port(paths.port(up)).peer).device;
          top_of[up] = top_of[route[route.size() / 2]] = top;
        }
      }
    }
    return top_of;
  }

  std::vector<double> meeting_;     // by link: p(l)
  std::vector<Crowd> crowd_;        // by link: P_k(l)
  std::vector<double> preference_;  // by link
  std::vector<std::int64_t> used_;  // by link: steps that use it
  std::vector<LinkIndex> touched_;
};

/// p(l) by port.
std::vector<double> shares_of(const Network& network, std::span<const Footprint> footprints) {
  std::vector<double> by_port(network.port_count(), 0);
  for (const Footprint& footprint : footprints) {
    for (const LinkUse& use : footprint.links) by_port[use.link] += footprint.share(use);
  }
  return by_port;
}

/// P_k(l) by link of the job.
std::vector<Crowd> crowds_of_links(const Network& network, const JobPaths& paths, std::span<const Footprint> others) {
  const std::vector<Crowd> by_port = crowds_of(network, others);
  std::vector<Crowd> crowds;
  for (LinkIndex link = 0; link < paths.link_count(); ++link) crowds.push_back(by_port[paths.port(link)]);
  return crowds;
}

/// p(l) by link of the job.
std::vector<double> meeting_prices(const Network& network, const JobPaths& paths, std::span<const Footprint> others) {
  const std::vector<double> by_port = shares_of(network, others);
  std::vector<double> prices;
  for (LinkIndex link = 0; link < paths.link_count(); ++link) prices.push_back(by_port[paths.port(link)]);
  return prices;
}

class BesidePlanner {
 public:
  BesidePlanner(const Network& network, const JobEndpoints& endpoints, const JobPaths& paths,
                const LinkWeights& weights, const StepSequence& steps, std::span<const Footprint> others)
      : endpoints_(endpoints),
        paths_(paths),
        weights_(weights),
        steps_(steps),
        ranks_(static_cast<Rank>(endpoints.rank_count())),
        choice_(std::size_t{ranks_} * ranks_, undecided),
        leaf_bound_(network, endpoints, paths, weights),
        prices_(network, paths, meeting_prices(network, paths, others), crowds_of_links(network, paths, others)),
        meeting_bound_(endpoints, paths, weights, prices_.meeting()),
        search_(paths, weights) {}

  /// `first` is a plan for a job of many messages, whose paths are only improved; nullptr: there is none.
  Plan run(const Plan* first) {
    if (first != nullptr) take_over(*first);
    const int sweeps = first == nullptr ? max_sweeps : 1;
    effort_ = total_effort / std::max<std::size_t>(1, steps_.step_count()) / static_cast<std::uint64_t>(sweeps);
    for (sweep_ = 0; sweep_ < sweeps && !pairs_met_again_; ++sweep_) {
      decided_.assign(choice_.size(), false);
      for (std::size_t s = 0; s < steps_.step_count(); ++s) plan_step(s);
    }
    std::vector<std::uint8_t> bits(choice_.size());
    for (std::size_t pair = 0; pair < bits.size(); ++pair) {
      const std::uint32_t endpoint = endpoints_.endpoint_of(static_cast<Rank>(pair % ranks_));
      bits[pair] = paths_.path_bits(endpoint, choice_[pair] == undecided ? 0 : choice_[pair]);
    }
    return Plan::per_pair(ranks_, std::move(bits));
  }

  /// Σ over the steps: what each must meet at least.
  [[nodiscard]] double least_meetings() const { return least_meetings_; }
  /// Does a step take longer than its leaves make it?
  [[nodiscard]] bool longer() const { return longer_; }
  /// Steps that were proven to be unable to avoid the others.
  [[nodiscard]] std::uint64_t crowded_steps() const { return crowded_steps_; }

 private:
  void take_over(const Plan& plan) {
    planned_before_ = true;
    for (Rank from = 0; from < ranks_; ++from) {
      for (Rank to = 0; to < ranks_; ++to) {
        const std::uint32_t endpoint = endpoints_.endpoint_of(to);
        std::uint8_t choice = 0;
        while (paths_.path_bits(endpoint, choice) != plan.path_bits(from, to)) ++choice;
        choice_[std::size_t{from} * ranks_ + to] = choice;
      }
    }
  }

  void plan_step(std::size_t step) {
    steps_.step(step, messages_);
    const double time = leaf_bound_.of(messages_).time;
    std::vector<StepMessage> messages = messages_between_leaves();
    if (messages.empty()) return;
    if (sweep_ > 0) prices_.add_step(paths_, messages, -1);
    const double first_use = first_use_of(messages.size());
    const Crowd weights = prices_.weights(paths_, sweep_ == 0 ? std::vector<StepMessage>{} : messages);
    const std::vector<double> prices = prices_.of_step(first_use, weights);
    search_.start(messages, time, prices);
    if (sweep_ == 0) begin(messages, time);
    if (meeting_bound_.least_price() > 0) search_.improve(effort(), first_threshold, random_);
    search_.improve(effort(), 2 * first_use, random_);
    longer_ = longer_ || search_.cost() >= least_excess * PricedPaths::hot;
    prices_.add_step(paths_, search_.messages(), 1);
    for (std::size_t i = 0; i < owners_.size(); ++i) {
      choice_[owners_[i]] = static_cast<std::uint8_t>(search_.messages()[i].choice);
      decided_[owners_[i]] = true;
    }
  }

  /// The first paths of a step: without any meeting, if there are such.
  void begin(const std::vector<StepMessage>& messages, double time) {
    double least = meeting_bound_.of_step(messages, time);
    const FreePaths free = least > 0
                               ? FreePaths{Colouring::Outcome::impossible}
                               : free_paths(paths_, weights_, messages, time, prices_.meeting(), colouring_budget);
    if (free.outcome == Colouring::Outcome::impossible) {
      ++crowded_steps_;
      least = std::max(least, meeting_bound_.least_price());
    }
    least_meetings_ += least;
    if (planned_before_) return;
    if (free.outcome == Colouring::Outcome::found) {
      search_.choose(free.choices);
    } else {
      search_.choose_cheapest();
    }
  }

  /// So little that all links of a step together cost less than one meeting.
  [[nodiscard]] double first_use_of(std::size_t messages) const {
    const double least = meeting_bound_.least_price() > 0 ? meeting_bound_.least_price() : 1;
    return least * Prices::least_weight / static_cast<double>(16 * messages);
  }

  /// Choices to look at in this step of this sweep.
  [[nodiscard]] std::uint64_t effort() const {
    return std::min(effort_, std::max(min_effort, effort_a_choice * search_.messages().size() * paths_.max_choices()));
  }

  /// A pair that met in an earlier step keeps its path.
  std::vector<StepMessage> messages_between_leaves() {
    std::vector<StepMessage> messages;
    owners_.clear();
    for (const Message& m : messages_) {
      if (!endpoints_.crosses_leaves(m)) continue;
      const std::uint32_t endpoint = endpoints_.endpoint_of(m.to);
      const std::size_t pair = std::size_t{m.from} * ranks_ + m.to;
      const std::uint32_t choice = choice_[pair] == undecided ? 0 : choice_[pair];
      messages.push_back({endpoints_.leaf(endpoints_.endpoint_of(m.from)), endpoint, choice, decided_[pair]});
      owners_.push_back(pair);
      pairs_met_again_ = pairs_met_again_ || decided_[pair];
    }
    return messages;
  }

  const JobEndpoints& endpoints_;
  const JobPaths& paths_;
  const LinkWeights& weights_;
  const StepSequence& steps_;
  Rank ranks_;
  std::vector<std::uint8_t> choice_;  // by pair, source-major
  std::vector<bool> decided_;         // by pair: in this sweep
  LeafBound leaf_bound_;
  Prices prices_;
  MeetingBound meeting_bound_;
  PricedPaths search_;
  int sweep_ = 0;
  std::uint64_t effort_ = 0;  // of a step
  bool planned_before_ = false;
  bool longer_ = false;
  bool pairs_met_again_ = false;  // in several steps: how often a link is used is not known before all are planned
  double least_meetings_ = 0;
  std::uint64_t crowded_steps_ = 0;
  std::vector<Message> messages_;
  std::vector<std::size_t> owners_;  // by message: index into choice_
  Random random_{1};
};

double meetings_of(const Network& network, const Footprint& job, std::span<const Footprint> others) {
  const std::vector<double> by_port = shares_of(network, others);
  double meetings = 0;
  for (const LinkUse& use : job.links) {
    const Port& port = network.port(use.link);
    const bool cable = !network.is_router(port.device) || !network.is_router(network.port(port.peer).device);
    if (!cable) meetings += by_port[use.link] * job.share(use);
  }
  return meetings;
}

/// What all attempts to plan a job share.
struct Attempts {
  const Network& network;
  const Routes& routes;
  std::span<const PortId> ports;
  const JobEndpoints& endpoints;
  const JobPaths& paths;
  const LinkWeights& weights;
  const StepSequence& steps;
  std::span<const Footprint> others;

  struct Attempt {
    Plan plan;
    double least_meetings = 0;
    std::uint64_t crowded_steps = 0;
    bool longer = false;
  };

  [[nodiscard]] Attempt run(const Plan* first) const {
    BesidePlanner planner(network, endpoints, paths, weights, steps, others);
    Plan plan = planner.run(first);
    return {std::move(plan), planner.least_meetings(), planner.crowded_steps(), planner.longer()};
  }

  /// A job of many messages, or one whose steps take too long by themselves, begins with the plan that it has alone.
  [[nodiscard]] Result<Attempt> best() const {
    const bool many = std::uint64_t{endpoints.rank_count()} * steps.step_count() > many_messages;
    std::optional<Attempt> attempt;
    if (!many) attempt = run(nullptr);
    if (attempt && !attempt->longer) return std::move(*attempt);
    const auto alone = make_plan(network, routes, ports, steps, Method::pair);
    if (!alone) return Failure(alone.error());
    Attempt other = run(&alone->plan);
    if (!attempt) return other;
    const auto time = measure_contention(network, routes, ports, attempt->plan, steps);
    const auto other_time = measure_contention(network, routes, ports, other.plan, steps);
    if (!time || !other_time) return Failure(time ? other_time.error() : time.error());
    return other_time->mean_time < time->mean_time ? std::move(other) : std::move(*attempt);
  }
};

}  // namespace

Result<PlannedBeside> plan_beside(const Network& network, const Routes& routes, std::span<const PortId> endpoints,
                                  const StepSequence& steps, std::span<const Footprint> others) {
  const auto job_endpoints = JobEndpoints::of(network, endpoints, steps);
  if (!job_endpoints) return Failure(job_endpoints.error());
  const auto paths = JobPaths::traced(network, routes, *job_endpoints);
  if (!paths) return Failure(paths.error());
  const LinkWeights weights(network, endpoints);
  auto made = Attempts{network, routes, endpoints, *job_endpoints, *paths, weights, steps, others}.best();
  if (!made) return Failure(made.error());
  auto footprint = footprint_of(network, routes, endpoints, made->plan, steps);
  if (!footprint) return Failure(footprint.error());

  PlannedBeside result;
  result.plan = std::move(made->plan);
  result.footprint = std::move(*footprint);
  result.meetings = meetings_of(network, result.footprint, others);
  result.isolated = result.meetings == 0;
  const double step_count = std::max<double>(1, static_cast<double>(steps.step_count()));
  result.least_meetings = std::min(result.meetings, made->least_meetings / step_count);
  result.reason =
      result.isolated
          ? "no link is shared with another job"
          : fmt::format("{:.4f} meetings a step, at least {:.4f}: {} of {} steps can't avoid the other jobs",
                        result.meetings, result.least_meetings, made->crowded_steps, steps.step_count());
  return result;
}

}  // namespace ayatori
