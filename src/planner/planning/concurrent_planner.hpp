#pragma once
/// \file
/// The paths of one job among concurrent jobs, step by step: an exact search for paths that no other job uses, then a
/// search with prices on links.

#include <cstdint>
#include <span>
#include <vector>

#include "ayatori/artefacts/plan.hpp"
#include "ayatori/base/random.hpp"
#include "ayatori/base/search_control.hpp"
#include "ayatori/contention/job_endpoints.hpp"
#include "ayatori/network/step.hpp"
#include "ayatori/planning/plan_concurrent.hpp"
#include "conflict_bound.hpp"
#include "free_paths.hpp"
#include "job_paths.hpp"
#include "leaf_bound.hpp"
#include "link_prices.hpp"
#include "priced_paths.hpp"

namespace ayatori {

/// A job whose paths are to be chosen.
struct PlanningTask {
  const Network& network;
  const Routes& routes;
  std::span<const PortId> ports;  ///< by rank
  const StepSequence& steps;
  JobEndpoints endpoints;
  JobPaths paths;
  LinkWeights weights;
  SearchControl control;

  /// Errors: those of make_plan().
  [[nodiscard]] static Result<PlanningTask> of(const Network& network, const Routes& routes,
                                               std::span<const PortId> ports, const StepSequence& steps,
                                               SearchControl control = {});

  /// The plan as the result of planning among `others`.
  [[nodiscard]] ConcurrentPlan among(std::span<const Footprint> others, Plan plan, Footprint footprint) const;
};

/// A lower bound of the link conflicts per step (plan_concurrent.hpp), and the number of steps that contribute. Lower
/// after SearchControl::stop().
struct ProvenConflicts {
  double conflicts = 0;
  std::uint64_t conflicting_steps = 0;
};

/// Plans one job among others. After SearchControl::stop() it gives the remaining messages the cheapest paths, without
/// a search; those of a large job keep their paths, or get base LIDs.
class ConcurrentPlanner {
 public:
  /// `extra` (by PortId, or empty) is added to the prices of links.
  ConcurrentPlanner(const PlanningTask& task, std::span<const Footprint> others, std::span<const double> extra = {});

  /// A plan from nothing.
  Plan run();
  /// A plan from another one, whose paths are only improved.
  Plan improve(const Plan& plan);
  /// What no plan can avoid whose steps take no longer than their leaves require.
  ProvenConflicts prove();

  /// Does a step take longer than its leaves make it?
  [[nodiscard]] bool longer() const { return longer_; }
  /// Choices that were looked at.
  [[nodiscard]] std::uint64_t effort_spent() const { return search_.looked_at(); }

 private:
  Plan run_sweeps(int sweeps);
  [[nodiscard]] bool may_go_on() const;
  void take_over(const Plan& plan);
  void plan_step(std::size_t step);
  void forget_paths(std::vector<StepMessage> messages);
  void begin(const std::vector<StepMessage>& messages, double time);
  [[nodiscard]] FreePaths free_of_others(const std::vector<StepMessage>& messages, double time) const;
  [[nodiscard]] double first_use_of(std::size_t messages) const;
  [[nodiscard]] std::uint64_t effort() const;
  std::vector<StepMessage> messages_between_leaves();

  const JobEndpoints& endpoints_;
  const JobPaths& paths_;
  const LinkWeights& weights_;
  const StepSequence& steps_;
  const SearchControl control_;
  Rank ranks_;
  std::vector<std::uint8_t> choice_;      // by pair, source-major
  std::vector<std::uint8_t> taken_over_;  // by pair: the choice of the plan that is improved
  std::vector<bool> decided_;             // by pair: in this sweep
  LeafBound leaf_bound_;
  LinkPrices prices_;
  ConflictBound conflict_bound_;
  PricedPaths search_;
  int sweep_ = 0;
  std::uint64_t effort_ = 0;  // of a step
  bool planned_before_ = false;
  bool longer_ = false;
  bool pairs_met_again_ = false;  // in several steps: how often a link is used is not known before all are planned
  std::vector<Message> messages_;
  std::vector<std::size_t> owners_;  // by message: index into choice_
  Random random_{1};
};

}  // namespace ayatori
