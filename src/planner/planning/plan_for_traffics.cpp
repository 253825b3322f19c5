#include "ayatori/planning/plan_for_traffics.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "ayatori/contention/concurrent_bandwidth.hpp"
#include "ayatori/contention/contention.hpp"
#include "link_prices.hpp"
#include "plan_methods.hpp"
#include "plan_parts.hpp"
#include "traffic_search.hpp"

namespace ayatori {

namespace {

/// Of a traffic, that a plan is judged by: some tenths of a second.
constexpr std::uint64_t judged_messages = 1U << 18;
constexpr std::uint64_t judged_after_stop = 1U << 14;  ///< some milliseconds
constexpr int max_searches = 6;                        ///< each with other weights
/// Of endpoints: a job of more is searched once, unless a traffic loses.
constexpr std::uint64_t many_pairs = 10'000;
constexpr double more_weight = 2;  ///< for a traffic that lost in the search before
/// Of the named traffics, against one for each other.
constexpr double weight_of_named = 16;
/// By how much a plan's mean must exceed that of base LIDs: permutations of another seed make that much difference.
constexpr double gain_over_base_lids = 0.005;
/// As how many messages of other jobs a link counts that the plan among others leaves free: jobs will come.
constexpr double use_by_later_jobs = 0.1;
/// Shares that differ by less are equal.
constexpr double share_tolerance = 1e-9;

/// Every nth step.
class SomeSteps final : public StepSequence {
 public:
  SomeSteps(const StepSequence& all, std::uint64_t most) : all_(all) {
    const std::uint64_t messages = std::uint64_t{all.rank_count()} * all.step_count();
    every_ = std::max<std::size_t>(1, messages / most);
  }

  [[nodiscard]] Rank rank_count() const override { return all_.rank_count(); }
  [[nodiscard]] std::size_t step_count() const override { return (all_.step_count() + every_ - 1) / every_; }
  void step(std::size_t index, std::vector<Message>& messages) const override { all_.step(index * every_, messages); }

 private:
  const StepSequence& all_;
  std::size_t every_ = 1;
};

/// A plan, and the relative bandwidth of each traffic with it.
struct Judged {
  Plan plan;
  std::string reason;
  std::vector<double> shares;
  bool isolated = false;  ///< from other jobs; not looked at where there are none
};

double mean_of_first(const std::vector<double>& shares, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += shares[i];
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

class PlannerForTraffics {
 public:
  PlannerForTraffics(const Network& network, const Routes& routes, std::span<const PortId> endpoints,
                     std::span<const Traffic> traffics, std::size_t named, std::span<const Footprint> others,
                     const SearchControl& control)
      : network_(network),
        routes_(routes),
        endpoints_(endpoints),
        traffics_(traffics),
        named_(named),
        others_(others),
        control_(control) {
    for (std::vector<Rank>& ranks : ranks_by_part(network, endpoints)) parts_.emplace_back(endpoints, std::move(ranks));
  }

  Result<PlannedForTraffics> run() {
    if (auto tried = try_base_lids(); !tried) return Failure(tried.error());
    auto by_rule = make_plan(network_, routes_, endpoints_, traffics_.front().steps, Method::rule, control_);
    if (!by_rule) return Failure(by_rule.error());
    if (auto tried = try_plan(by_rule->plan, by_rule->reason); !tried) return Failure(tried.error());
    if (control_.stopped()) return result(std::move(*by_rule));
    auto planned = make_plan(network_, routes_, endpoints_, traffics_.front().steps, Method::pair, control_);
    if (!planned) return Failure(planned.error());
    if (auto tried = try_plan(planned->plan, planned->reason); !tried) return Failure(tried.error());
    if (auto searched = search(planned->plan, last_shares_.front()); !searched) return Failure(searched.error());
    return result(std::move(*planned));
  }

  /// The best of base LIDs, this plan, and paths that are searched for all traffics.
  Result<Plan> run_among(const ConcurrentPlan& made) {
    if (control_.stopped()) return made.plan;
    of_others_ = shares_of(network_, others_);
    leave_links_to_later_jobs(made.footprint);
    if (auto tried = try_base_lids(); !tried) return Failure(tried.error());
    if (auto tried = try_plan(made.plan, made.reason); !tried) return Failure(tried.error());
    if (auto searched = search(per_pair(made.plan), last_shares_.front()); !searched) return Failure(searched.error());
    return std::move(best_.plan);
  }

 private:
  Result<> try_base_lids() {
    const auto ranks = static_cast<Rank>(endpoints_.size());
    auto tried = try_plan(Plan::base_lids(ranks), "base LIDs for everybody");
    without_ = best_.shares;
    return tried;
  }

  [[nodiscard]] std::vector<TrafficShare> shares() const {
    std::vector<TrafficShare> shares;
    for (std::size_t t = 0; t < traffics_.size(); ++t) shares.push_back({without_[t], best_.shares[t]});
    return shares;
  }

  /// The plan among others uses few links often.
  void leave_links_to_later_jobs(const Footprint& made) {
    std::vector<bool> used(of_others_.size(), false);
    for (const LinkUse& use : made.links) used[use.link] = true;
    for (PortId link = 0; link < used.size(); ++link) of_others_[link] += used[link] ? 0 : use_by_later_jobs;
  }

  static Plan per_pair(const Plan& plan) {
    if (plan.is_per_pair()) return plan;
    std::vector<std::uint8_t> bits;
    bits.reserve(std::size_t{plan.rank_count()} * plan.rank_count());
    for (Rank from = 0; from < plan.rank_count(); ++from) {
      for (Rank to = 0; to < plan.rank_count(); ++to) bits.push_back(plan.path_bits(from, to));
    }
    return Plan::per_pair(plan.rank_count(), std::move(bits));
  }

  [[nodiscard]] Result<std::vector<double>> shares_with(const Plan& plan) const {
    std::vector<double> shares;
    for (const Traffic& traffic : traffics_) {
      const auto share = judged_share(network_, routes_, endpoints_, plan, traffic.steps, others_, control_);
      if (!share) return Failure(share.error());
      shares.push_back(*share);
    }
    return shares;
  }

  /// Takes the plan if it is better than the best so far.
  Result<> try_plan(Plan plan, std::string reason) {
    if (control_.stopped()) {
      if (auto judged = judge_again(); !judged) return judged;
    }
    auto shares = shares_with(plan);
    if (!shares) return Failure(shares.error());
    Judged judged{std::move(plan), std::move(reason), std::move(*shares)};
    if (!others_.empty()) {
      const auto footprint = footprint_of(network_, routes_, endpoints_, judged.plan, traffics_.front().steps);
      if (!footprint) return Failure(footprint.error());
      judged.isolated = conflicts_of(network_, *footprint, others_).between_routers == 0;
    }
    if (control_.stopped() && !after_stop_ && !best_.shares.empty()) return {};  // stopped in the midst of this
    last_shares_ = judged.shares;
    if (best_.shares.empty() || is_better(judged)) best_ = std::move(judged);
    return {};
  }

  /// After a stop plans are judged by fewer steps, and compared by the same ones.
  Result<> judge_again() {
    if (after_stop_ || best_.shares.empty()) return {};
    after_stop_ = true;
    auto without = shares_with(Plan::base_lids(static_cast<Rank>(endpoints_.size())));
    if (!without) return Failure(without.error());
    without_ = std::move(*without);
    if (best_.plan.method() == Method::base_lids) {
      best_.shares = without_;
      return {};
    }
    auto best = shares_with(best_.plan);
    if (!best) return Failure(best.error());
    best_.shares = std::move(*best);
    return {};
  }

  [[nodiscard]] bool loses(std::size_t traffic, double share) const {
    return share < without_[traffic] * (1 - tolerated_loss);
  }

  [[nodiscard]] bool is_better(const Judged& judged) const {
    if (named_ > 0) {
      const double gain = mean_of_first(judged.shares, named_) - mean_of_first(best_.shares, named_);
      if (gain > share_tolerance || gain < -share_tolerance) return gain > 0;
    } else {
      for (std::size_t t = 0; t < traffics_.size(); ++t) {
        if (loses(t, judged.shares[t])) return false;
      }
    }
    if (judged.isolated != best_.isolated) return judged.isolated;
    const double mean = mean_of_first(judged.shares, traffics_.size());
    if (named_ == 0 && mean < mean_of_first(without_, traffics_.size()) * (1 + gain_over_base_lids)) return false;
    return mean > mean_of_first(best_.shares, traffics_.size()) + share_tolerance;
  }

  /// Tries paths that are searched for all traffics. Each search gives more weight to the traffics that lost in the one
  /// before, and less to permutations if they did not.
  Result<> search(const Plan& for_first, double of_first) {
    std::vector<double> weight(traffics_.size(), 1);
    std::fill_n(weight.begin(), named_, weight_of_named);
    const std::uint64_t ports = EndpointsOfJob(endpoints_).endpoints().size();
    const bool is_large = ports * ports > many_pairs;
    bool again = true;
    for (int number = 0; number < max_searches && again && !control_.stopped(); ++number) {
      auto found = searched(weight, number == 0 ? for_first : per_pair(best_.plan));
      if (!found) return Failure(found.error());
      if (!*found) return {};
      auto tried = try_plan(std::move(**found), "paths searched for all traffics (annealing, seed 1)");
      if (!tried) return tried;
      again = !is_large && best_.shares.front() < of_first - share_tolerance;
      for (std::size_t t = 0; t < traffics_.size(); ++t) {
        const bool too_little =
            t < named_ ? last_shares_[t] < best_.shares[t] - share_tolerance : named_ == 0 && loses(t, last_shares_[t]);
        again = again || too_little;
        if (too_little) {
          weight[t] *= more_weight;
        } else if (traffics_[t].permutations) {
          weight[t] /= 1 + 1.0 / (number + 1);  // ever less, to find the middle
        }
      }
    }
    return {};
  }

  /// Each part of the network for itself. No plan where a job is too large for that.
  Result<std::optional<Plan>> searched(const std::vector<double>& weight, const Plan& start) {
    std::vector<std::uint8_t> bits(start.all_path_bits().begin(), start.all_path_bits().end());
    for (const PartOfJob& part : parts_) {
      TrafficWeights weights{{}, 0, of_others_};
      std::vector<StepsOfPart> steps;
      steps.reserve(traffics_.size());
      for (std::size_t t = 0; t < traffics_.size(); ++t) {
        if (traffics_[t].permutations) {
          weights.permutations += weight[t];
        } else {
          weights.known.push_back({steps.emplace_back(part.steps_of(traffics_[t].steps)), weight[t]});
        }
      }
      const auto endpoints = JobEndpoints::of(network_, part.endpoints(), part.steps_of(traffics_.front().steps));
      if (!endpoints) return Failure(endpoints.error());
      const auto paths = JobPaths::traced(network_, routes_, *endpoints, control_);
      if (!paths) return Failure(paths.error());
      const LinkWeights link_weights(network_, part.endpoints());
      const JobOnPaths job{network_, *endpoints, *paths, link_weights};
      if (!can_be_searched_for_traffics(job, weights)) return std::nullopt;
      part.place(paths_for_traffics(job, weights, part.pairs_of(start), control_), bits);
    }
    return Plan::per_pair(start.rank_count(), std::move(bits));
  }

  /// The best plan, with what holds for every plan of the first traffic.
  Result<PlannedForTraffics> result(Planned first) {
    PlannedForTraffics result;
    result.shares = shares();
    const double ideal = first.contention.relative_bandwidth * first.contention.total_time();
    const double least_time = first.contention.unmeasured > 0 ? 0 : ideal / first.max_relative_bandwidth;
    auto measured = measure_contention(network_, routes_, endpoints_, best_.plan, traffics_.front().steps, control_);
    if (!measured) return Failure(measured.error());
    first.plan = per_pair(best_.plan);
    first.reason = std::move(best_.reason);
    first.contention = std::move(*measured);
    first.hot_spots = first.contention.hot_spots;
    judge(first, first.contention, least_time);
    result.planned = std::move(first);
    return result;
  }

  const Network& network_;
  const Routes& routes_;
  std::span<const PortId> endpoints_;
  std::span<const Traffic> traffics_;
  std::size_t named_;
  std::span<const Footprint> others_;
  std::vector<double> of_others_;  // by port: TrafficWeights::of_others
  const SearchControl& control_;
  std::vector<PartOfJob> parts_;
  std::vector<double> without_;  // by traffic
  std::vector<double> last_shares_;
  bool after_stop_ = false;
  Judged best_;
};

}  // namespace

Result<double> judged_share(const Network& network, const Routes& routes, std::span<const PortId> endpoints,
                            const Plan& plan, const StepSequence& steps, std::span<const Footprint> others,
                            const SearchControl& control) {
  const SomeSteps some(steps, control.stopped() ? judged_after_stop : judged_messages);
  if (!others.empty()) return concurrent_bandwidth(network, routes, endpoints, plan, some, others);
  const auto measured = measure_contention(network, routes, endpoints, plan, some, control);
  if (!measured) return Failure(measured.error());
  return measured->relative_bandwidth;
}

Result<PlannedForTraffics> plan_for_traffics(const Network& network, const Routes& routes,
                                             std::span<const PortId> endpoints, std::span<const Traffic> traffics,
                                             std::size_t named, const SearchControl& control) {
  return PlannerForTraffics(network, routes, endpoints, traffics, named, {}, control).run();
}

Result<Plan> plan_for_traffics_among(const Network& network, const Routes& routes, std::span<const PortId> endpoints,
                                     std::span<const Traffic> traffics, std::size_t named,
                                     std::span<const Footprint> others, const ConcurrentPlan& made,
                                     const SearchControl& control) {
  return PlannerForTraffics(network, routes, endpoints, traffics, named, others, control).run_among(made);
}

}  // namespace ayatori
