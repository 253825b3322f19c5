#include "concurrent_planner.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace ayatori {

namespace {

constexpr std::uint64_t effort_of_sweeps = 60'000'000;   ///< choices looked at, over all steps and sweeps
constexpr std::uint64_t effort_a_choice = 150;           ///< of each message of a step, at most
constexpr std::uint64_t least_step_effort = 10'000;      ///< of a step of a job of few messages
constexpr std::uint64_t colouring_budget = 20'000;       ///< tries of the exact search, a step
constexpr int max_sweeps = 6;                            ///< over all steps
constexpr double first_threshold = 0.25;                 ///< of a search for fewer conflicts
constexpr double least_excess = 0.01;                    ///< of PricedPaths::hot: more than all prices of a step
constexpr std::uint64_t choices_after_stop = 4'000'000;  ///< of a first sweep: some milliseconds
constexpr std::uint8_t no_choice = 0xFF;

}  // namespace

Result<PlanningTask> PlanningTask::of(const Network& network, const Routes& routes, std::span<const PortId> ports,
                                      const StepSequence& steps, SearchControl control) {
  auto endpoints = JobEndpoints::of(network, ports, steps);
  if (!endpoints) return Failure(endpoints.error());
  auto paths = JobPaths::traced(network, routes, *endpoints, control);
  if (!paths) return Failure(paths.error());
  LinkWeights weights(network, ports);
  return PlanningTask{
      network, routes, ports, steps, std::move(*endpoints), std::move(*paths), std::move(weights), std::move(control)};
}

ConcurrentPlan PlanningTask::among(std::span<const Footprint> others, Plan plan, Footprint footprint) const {
  ConcurrentPlan result;
  result.plan = std::move(plan);
  result.footprint = std::move(footprint);
  const Conflicts conflicts = conflicts_of(network, result.footprint, others);
  result.conflicts = result.least_conflicts = conflicts.all();
  result.isolated = result.conflicts == 0;
  result.reason = "no link is shared with another job";
  if (result.isolated) return result;
  if (conflicts.between_routers == 0) {
    result.reason = "only cables of hosts that several jobs have are shared with another job";
    return result;
  }
  if (control.stopped()) {
    result.least_conflicts = conflicts.on_cables;
    result.reason = fmt::format("{:.4f} conflicts a step; the search ended early", result.conflicts);
    return result;
  }
  const ProvenConflicts proven = ConcurrentPlanner(*this, others).prove();
  // Steps that take longer than their leaves make them are not what is proven of.
  result.least_conflicts = std::min(result.conflicts, proven.conflicts + conflicts.on_cables);
  result.reason = fmt::format("{:.4f} conflicts a step, at least {:.4f}: {} of {} steps can't avoid the other jobs",
                              result.conflicts, result.least_conflicts, proven.conflicting_steps, steps.step_count());
  return result;
}

ConcurrentPlanner::ConcurrentPlanner(const PlanningTask& task, std::span<const Footprint> others,
                                     std::span<const double> extra)
    : endpoints_(task.endpoints),
      paths_(task.paths),
      weights_(task.weights),
      steps_(task.steps),
      control_(task.control),
      ranks_(static_cast<Rank>(endpoints_.rank_count())),
      choice_(std::size_t{ranks_} * ranks_, no_choice),
      leaf_bound_(task.network, endpoints_, paths_, weights_, control_),
      prices_(task.network, paths_, others, extra),
      conflict_bound_(endpoints_, paths_, weights_, prices_.share_of_others()),
      search_(paths_, weights_) {}

Plan ConcurrentPlanner::run() { return run_sweeps(max_sweeps); }

Plan ConcurrentPlanner::improve(const Plan& plan) {
  take_over(plan);
  return run_sweeps(1);
}

ProvenConflicts ConcurrentPlanner::prove() {
  ProvenConflicts proven;
  decided_.assign(choice_.size(), false);
  for (std::size_t s = 0; s < steps_.step_count() && !control_.stopped(); ++s) {
    steps_.step(s, messages_);
    const double time = leaf_bound_.of(messages_).time;
    const std::vector<StepMessage> messages = messages_between_leaves();
    double least = conflict_bound_.of_step(messages, time);
    if (least == 0 && free_of_others(messages, time).outcome != Colouring::Outcome::impossible) continue;
    least = std::max(least, conflict_bound_.least_price());
    proven.conflicts += least / static_cast<double>(steps_.step_count());
    ++proven.conflicting_steps;
  }
  return proven;
}

Plan ConcurrentPlanner::run_sweeps(int sweeps) {
  effort_ = effort_of_sweeps / std::max<std::size_t>(1, steps_.step_count()) / static_cast<std::uint64_t>(sweeps);
  for (sweep_ = 0; sweep_ < sweeps && !pairs_met_again_; ++sweep_) {
    if (sweep_ > 0 && control_.stopped()) break;
    decided_.assign(choice_.size(), false);
    for (std::size_t s = 0; s < steps_.step_count() && may_go_on(); ++s) plan_step(s);
  }
  std::vector<std::uint8_t> bits(choice_.size());
  for (std::size_t pair = 0; pair < bits.size(); ++pair) {
    const std::uint32_t endpoint = endpoints_.endpoint_of(static_cast<Rank>(pair % ranks_));
    bits[pair] = paths_.path_bits(endpoint, choice_[pair] == no_choice ? 0 : choice_[pair]);
  }
  return Plan::per_pair(ranks_, std::move(bits));
}

/// A job of few messages gets cheap paths even after the search was stopped.
bool ConcurrentPlanner::may_go_on() const {
  const std::uint64_t choices = std::uint64_t{ranks_} * steps_.step_count() * paths_.max_choices();
  return !control_.stopped() || choices <= choices_after_stop;
}

/// The paths of another plan, and which links its steps use. A message whose path is not among the choices, since its
/// LID leads not everywhere or where a lower one leads, begins with the first choice.
void ConcurrentPlanner::take_over(const Plan& plan) {
  planned_before_ = true;
  for (Rank from = 0; from < ranks_; ++from) {
    for (Rank to = 0; to < ranks_; ++to) {
      const std::uint32_t endpoint = endpoints_.endpoint_of(to);
      const std::uint32_t choice = paths_.choice_with(endpoint, plan.path_bits(from, to)).value_or(0);
      choice_[std::size_t{from} * ranks_ + to] = static_cast<std::uint8_t>(choice);
    }
  }
  taken_over_ = choice_;
  decided_.assign(choice_.size(), false);
  for (std::size_t s = 0; s < steps_.step_count(); ++s) {
    steps_.step(s, messages_);
    prices_.add_step(paths_, messages_between_leaves(), 1);
  }
}

void ConcurrentPlanner::plan_step(std::size_t step) {
  steps_.step(step, messages_);
  const double time = leaf_bound_.of(messages_).time;
  std::vector<StepMessage> messages = messages_between_leaves();
  if (messages.empty()) return;
  if (sweep_ > 0 || planned_before_) forget_paths(messages);
  const double first_use = first_use_of(messages.size());
  const LinkOccupancy weights = prices_.weights(paths_, sweep_ == 0 ? std::vector<StepMessage>{} : messages);
  const std::vector<double> prices = prices_.of_step(first_use, weights);
  search_.start(messages, time, prices);
  if (sweep_ == 0 && !planned_before_) begin(messages, time);
  if (conflict_bound_.least_price() > 0) search_.improve(effort(), first_threshold, random_);
  search_.improve(effort(), 2 * first_use, random_);
  longer_ = longer_ || search_.cost() >= least_excess * PricedPaths::hot;
  prices_.add_step(paths_, search_.messages(), 1);
  for (std::size_t i = 0; i < owners_.size(); ++i) {
    choice_[owners_[i]] = static_cast<std::uint8_t>(search_.messages()[i].choice);
    decided_[owners_[i]] = true;
  }
}

/// Those that the step had before this sweep: a pair that recurs may have another path by now.
void ConcurrentPlanner::forget_paths(std::vector<StepMessage> messages) {
  if (sweep_ == 0) {
    for (std::size_t i = 0; i < owners_.size(); ++i) messages[i].choice = taken_over_[owners_[i]];
  }
  prices_.add_step(paths_, messages, -1);
}

/// The first paths of a step: without a conflict, if there are such.
void ConcurrentPlanner::begin(const std::vector<StepMessage>& messages, double time) {
  const FreePaths free = control_.stopped() ? FreePaths{} : free_of_others(messages, time);
  if (free.outcome == Colouring::Outcome::found) {
    search_.choose(free.choices);
  } else {
    search_.choose_cheapest();
  }
}

FreePaths ConcurrentPlanner::free_of_others(const std::vector<StepMessage>& messages, double time) const {
  return free_paths(paths_, weights_, messages, time, prices_.share_of_others(), colouring_budget);
}

/// So little that all links of a step together cost less than one conflict.
double ConcurrentPlanner::first_use_of(std::size_t messages) const {
  const double least = conflict_bound_.least_price() > 0 ? conflict_bound_.least_price() : 1;
  return least * LinkPrices::least_weight / static_cast<double>(16 * messages);
}

/// Choices to examine in this step of this sweep.
std::uint64_t ConcurrentPlanner::effort() const {
  if (control_.stopped()) return 0;
  return std::min(effort_,
                  std::max(least_step_effort, effort_a_choice * search_.messages().size() * paths_.max_choices()));
}

/// A pair of an earlier step keeps its path.
std::vector<StepMessage> ConcurrentPlanner::messages_between_leaves() {
  std::vector<StepMessage> messages;
  owners_.clear();
  for (const Message& m : messages_) {
    if (!endpoints_.crosses_leaves(m)) continue;
    const std::uint32_t endpoint = endpoints_.endpoint_of(m.to);
    const std::size_t pair = std::size_t{m.from} * ranks_ + m.to;
    const std::uint32_t choice = choice_[pair] == no_choice ? 0 : choice_[pair];
    messages.push_back({endpoints_.leaf(endpoints_.endpoint_of(m.from)), endpoint, choice, decided_[pair]});
    owners_.push_back(pair);
    pairs_met_again_ = pairs_met_again_ || decided_[pair];
  }
  return messages;
}

}  // namespace ayatori
