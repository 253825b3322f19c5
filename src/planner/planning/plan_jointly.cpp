#include "ayatori/planning/plan_jointly.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "ayatori/base/random.hpp"
#include "ayatori/contention/concurrent_bandwidth.hpp"
#include "concurrent_planner.hpp"
#include "conflict_search.hpp"
#include "joint_isolation.hpp"
#include "joint_messages.hpp"
#include "least_delays.hpp"

namespace ayatori {

namespace {

constexpr std::uint64_t effort_of_restarts = 400'000'000;  ///< choices looked at, over all restarts
constexpr std::uint64_t isolation_budget = 500'000;        ///< paths that the exact search gives to messages

constexpr int runs_between_isolations = 5;
constexpr std::uint64_t moves_of_jobs = 300;  ///< of a run of annealing, for each message
constexpr int annealings_of_jobs = 20;
constexpr int max_restarts = 4;  ///< each plans the jobs in another order first
constexpr int max_rounds = 30;   ///< of a restart: each plans every job once more
/// What a round adds to the price of a shared link, in conflicts; restarts alternate between the two. The small one
/// finds the most bandwidth where conflicts are unavoidable, the large one finds more often that they are avoidable.
constexpr double raises[] = {0.03, 0.1};

/// Plans of all jobs, and what they are worth: the mean of the bandwidths that jobs expect.
struct Plans {
  std::vector<Plan> plans;
  std::vector<Footprint> footprints;  // by job
  double value = -1;
  bool isolated = false;  ///< but for the cables of hosts that several jobs have: no plan changes these
};

class JointPlanner {
 public:
  JointPlanner(const Network& network, std::span<const PlanningTask> tasks, std::span<const Footprint> others,
               const SearchControl& control)
      : network_(network), tasks_(tasks), others_(others), control_(control) {}

  Result<Plans> run() {
    std::vector<std::size_t> order(tasks_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    control_.expect(tasks_.size());
    const auto begun = plan_one_by_one(order);
    if (!begun) return Failure(begun.error());
    if (!control_.stopped()) control_.did(tasks_.size());
    if (is_done()) return std::move(best_);
    const auto messages = JointMessages::of(tasks_, best_.plans);
    const auto searched =
        messages && ConflictSearch::applies(tasks_, *messages) ? plan_together(*messages) : plan_again_and_again(order);
    if (!searched) return Failure(searched.error());
    return std::move(best_);
  }

 private:
  [[nodiscard]] bool is_done() const {
    return best_.isolated || (best_.value >= 0 && (effort_ >= effort_of_restarts || control_.stopped()));
  }

  /// Small jobs: an exact search for links of their own, and annealing that knows which steps conflict, alternating.
  /// The one begins with what the other has found. What a run of annealing ends with, jobs improve one by one.
  Result<> plan_together(const JointMessages& messages) {
    ConflictSearch search(tasks_, messages, others_);
    JointIsolation isolated;
    control_.expect(annealings_of_jobs);
    for (int run = 0; run < annealings_of_jobs && !control_.stopped(); ++run) {
      if (isolated.outcome == JointIsolation::Outcome::gave_up && run % runs_between_isolations == 0) {
        isolated = isolate_jointly(messages, network_, others_, search.choices(), isolation_budget, control_);
        if (isolated.outcome == JointIsolation::Outcome::found) return take(messages.plans(isolated.choices));
      }
      search.anneal_alternately(run, moves_of_jobs * messages.all().size(), random_);
      if (search.is_isolated()) break;
      const auto improved = improve_one_by_one(search, messages);
      if (!improved) return improved;
      if (search.is_isolated()) break;
      if (!control_.stopped()) control_.did();
    }
    search.return_to_best();
    const auto improved = improve_one_by_one(search, messages);
    if (!improved) return improved;
    return take(messages.plans(search.choices()));
  }

  /// One job after the other gets the paths by which all lose least, with the current paths of the others.
  Result<> improve_one_by_one(ConflictSearch& search, const JointMessages& messages) {
    const auto begun = keep_all(messages.plans(search.now()));
    if (!begun) return begun;
    std::size_t unchanged = 0;
    for (std::size_t job = 0; unchanged < tasks_.size() && !control_.stopped(); job = (job + 1) % tasks_.size()) {
      ++unchanged;
      auto found = least_delays(tasks_[job], others_of(job), now_.plans[job]);
      if (!found || !found->is_better) continue;
      unchanged = 0;
      const auto kept = keep(job, std::move(found->plan), 0);
      if (!kept) return kept;
    }
    const auto improved = JointMessages::of(tasks_, now_.plans);
    std::vector<std::uint32_t> choices;
    for (const JointMessage& message : improved->all()) choices.push_back(message.choice);
    search.go_to(choices);
    return {};
  }

  Result<> plan_again_and_again(std::span<std::size_t> order) {
    control_.expect(std::uint64_t{max_restarts} * max_rounds);
    for (int restart = 0; restart < max_restarts && !is_done(); ++restart) {
      if (restart > 0) {
        random_.shuffle(order);
        const auto begun = plan_one_by_one(order);
        if (!begun) return begun;
      }
      const auto searched = search(order, raises[static_cast<std::size_t>(restart) % std::size(raises)]);
      if (!searched) return searched;
    }
    return {};
  }

  Result<> search(std::span<const std::size_t> order, double raise) {
    contested_.assign(network_.port_count(), 0);
    for (int round = 0; round < max_rounds && !is_done(); ++round) {
      for (const SharedLink& shared : shared_links(now_.footprints)) contested_[shared.link] += raise;
      for (std::size_t i = 0; i < order.size() && !control_.stopped(); ++i) {
        // Each round begins with another job: the first one finds most links taken.
        const std::size_t job = order[(i + static_cast<std::size_t>(round)) % order.size()];
        ConcurrentPlanner planner(tasks_[job], others_of(job), contested_);
        const auto kept = keep(job, planner.improve(now_.plans[job]), planner.effort_spent());
        if (!kept) return kept;
      }
      const auto compared = compare();
      if (!compared) return compared;
      if (!control_.stopped()) control_.did();
    }
    return {};
  }

  /// Plans that were made elsewhere are the best.
  Result<> take(std::vector<Plan> plans) {
    const auto kept = keep_all(std::move(plans));
    if (!kept) return kept;
    best_.value = -1;
    return compare();
  }

  Result<> keep_all(std::vector<Plan> plans) {
    for (std::size_t job = 0; job < tasks_.size(); ++job) {
      const auto kept = keep(job, std::move(plans[job]), 0);
      if (!kept) return kept;
    }
    return {};
  }

  Result<> plan_one_by_one(std::span<const std::size_t> order) {
    now_ = {std::vector<Plan>(tasks_.size()), std::vector<Footprint>(tasks_.size())};
    for (const std::size_t job : order) {
      ConcurrentPlanner planner(tasks_[job], others_of(job));
      const auto kept = keep(job, planner.run(), planner.effort_spent());
      if (!kept) return kept;
    }
    return compare();
  }

  Result<> keep(std::size_t job, Plan plan, std::uint64_t effort) {
    const PlanningTask& task = tasks_[job];
    auto footprint = footprint_of(network_, task.routes, task.ports, plan, task.steps);
    if (!footprint) return Failure(footprint.error());
    now_.plans[job] = std::move(plan);
    now_.footprints[job] = std::move(*footprint);
    effort_ += effort;
    return {};
  }

  Result<> compare() {
    now_.value = 0;
    now_.isolated = true;
    for (std::size_t job = 0; job < tasks_.size(); ++job) {
      const PlanningTask& task = tasks_[job];
      const std::vector<Footprint> others = others_of(job);
      const auto bandwidth =
          concurrent_bandwidth(network_, task.routes, task.ports, now_.plans[job], task.steps, others);
      if (!bandwidth) return Failure(bandwidth.error());
      now_.value += *bandwidth / static_cast<double>(tasks_.size());
      now_.isolated = now_.isolated && conflicts_of(network_, now_.footprints[job], others).between_routers == 0;
    }
    if (now_.value > best_.value) best_ = now_;
    return {};
  }

  [[nodiscard]] std::vector<Footprint> others_of(std::size_t job) const {
    std::vector<Footprint> others(others_.begin(), others_.end());
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      if (i != job) others.push_back(now_.footprints[i]);
    }
    return others;
  }

  const Network& network_;
  std::span<const PlanningTask> tasks_;
  std::span<const Footprint> others_;
  const SearchControl& control_;
  std::vector<double> contested_;  // by port: what is added to the price of the link
  Plans now_;
  Plans best_;
  std::uint64_t effort_ = 0;
  Random random_{1};
};

}  // namespace

Result<std::vector<ConcurrentPlan>> plan_jointly(const Network& network, const Routes& routes,
                                                 std::span<const JobToPlan> jobs, std::span<const Footprint> others,
                                                 const SearchControl& control) {
  std::vector<PlanningTask> tasks;
  for (const JobToPlan& job : jobs) {
    auto task = PlanningTask::of(network, routes, job.endpoints, job.steps, control);
    if (!task) return Failure(task.error());
    tasks.push_back(std::move(*task));
  }
  auto made = JointPlanner(network, tasks, others, control).run();
  if (!made) return Failure(made.error());
  std::vector<ConcurrentPlan> planned;
  for (std::size_t job = 0; job < tasks.size(); ++job) {
    std::vector<Footprint> rest(others.begin(), others.end());
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      if (i != job) rest.push_back(made->footprints[i]);
    }
    planned.push_back(tasks[job].among(rest, std::move(made->plans[job]), made->footprints[job]));
  }
  return planned;
}

}  // namespace ayatori
