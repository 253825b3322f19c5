#pragma once
/// \file
/// Several jobs on one fabric, and what they get over all combinations of their steps, by tracing every message.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "../contention/tree_fixtures.hpp"
#include "ayatori/schedule/pattern.hpp"
#include "concurrent_planner.hpp"

namespace ayatori::test {

using Job = std::vector<PortId>;

/// Jobs of these sizes on random hosts, with base LIDs.
struct Problem {
  Problem(const Fabric& fabric, std::uint32_t hosts, const std::vector<std::uint32_t>& sizes, Random& random) {
    auto order = test::random_subset(hosts, hosts, random);
    random.shuffle(std::span(order));
    auto from = order.begin();
    for (const std::uint32_t size : sizes) {
      std::vector<std::uint32_t> mine(from, from + size);
      from += size;
      std::sort(mine.begin(), mine.end());
      jobs.push_back(fabric.job(mine));
      steps.push_back(shift_all_to_all(size));
      plans.push_back(Plan::base_lids(size));
    }
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      tasks.push_back(PlanningTask::of(fabric.network, fabric.routes, jobs[i], *steps[i]).value());
    }
  }

  std::vector<Job> jobs;
  std::vector<std::unique_ptr<StepSequence>> steps;
  std::vector<Plan> plans;
  std::vector<PlanningTask> tasks;
};

/// The mean over the jobs of what each gets over all combinations of their steps, packets being followed one by one.
class AllPhases {
 public:
  AllPhases(const Fabric& fabric, const Problem& problem, const std::vector<Plan>& plans) {
    for (std::size_t job = 0; job < problem.jobs.size(); ++job) {
      loads_.emplace_back();
      for (std::size_t s = 0; s < problem.steps[job]->step_count(); ++s) {
        loads_.back().push_back(loads(fabric, problem.jobs[job], *problem.steps[job], plans[job], s));
      }
    }
  }

  double mean_bandwidth() {
    times_.assign(loads_.size(), 0);
    combinations_ = 0;
    std::vector<const Loads*> now;
    combine(now);
    double mean = 0;
    for (const double time : times_) mean += static_cast<double>(combinations_) / time / double(times_.size());
    return mean;
  }

 private:
  using Loads = std::map<PortId, int>;

  static Loads loads(const Fabric& fabric, const Job& job, const StepSequence& steps, const Plan& plan, std::size_t s) {
    std::vector<Message> messages;
    steps.step(s, messages);
    Loads loads;
    for (const Message& m : messages) {
      const auto lid = static_cast<Lid>(fabric.routes.lids.of(job[m.to]).base + plan.path_bits(m.from, m.to));
      EXPECT_TRUE(trace(fabric.network, fabric.routes, job[m.from], lid, [&](PortId link) { ++loads[link]; }));
    }
    return loads;
  }

  void combine(std::vector<const Loads*>& now) {
    if (now.size() < loads_.size()) {
      for (const Loads& step : loads_[now.size()]) {
        now.push_back(&step);
        combine(now);
        now.pop_back();
      }
      return;
    }
    ++combinations_;
    Loads all;
    for (const Loads* each : now) {
      for (const auto& [link, load] : *each) all[link] += load;
    }
    for (std::size_t job = 0; job < now.size(); ++job) {
      int longest = 0;
      for (const auto& [link, load] : *now[job]) longest = std::max(longest, all[link]);
      times_[job] += longest;
    }
  }

  std::vector<std::vector<Loads>> loads_;  // by job and step
  std::vector<double> times_;              // by job: Σ over the combinations
  std::uint64_t combinations_ = 0;
};

}  // namespace ayatori::test
