#include "ayatori/planning/plan_jointly.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "../../base/thoroughness_fixtures.hpp"
#include "../contention/tree_fixtures.hpp"
#include "ayatori/base/search_control.hpp"
#include "ayatori/contention/concurrent_bandwidth.hpp"
#include "ayatori/contention/contention.hpp"
#include "ayatori/contention/jobs_together.hpp"
#include "ayatori/schedule/pattern.hpp"
#include "least_delays.hpp"

namespace ayatori {
namespace plan_jointly_test {

using test::Fabric;
using test::Tree;
using Job = std::vector<PortId>;

/// The all-to-all of each job, which must live as long as the jobs that are to be planned.
class Jobs {
 public:
  explicit Jobs(std::vector<Job> jobs) : ports(std::move(jobs)) {
    for (const Job& job : ports) steps.push_back(shift_all_to_all(static_cast<Rank>(job.size())));
    for (std::size_t i = 0; i < ports.size(); ++i) to_plan.push_back({ports[i], *steps[i]});
  }

  std::vector<Job> ports;
  std::vector<std::unique_ptr<StepSequence>> steps;
  std::vector<JobToPlan> to_plan;
};

/// Disjoint jobs of these sizes on random hosts.
Jobs random_jobs(const Fabric& fabric, std::uint32_t hosts, const std::vector<std::size_t>& sizes, Random& random) {
  auto order = test::random_subset(hosts, hosts, random);
  random.shuffle(std::span(order));
  std::vector<Job> jobs;
  auto from = order.begin();
  for (const std::size_t size : sizes) {
    std::vector<std::uint32_t> mine(from, from + static_cast<std::ptrdiff_t>(size));
    from += static_cast<std::ptrdiff_t>(size);
    std::sort(mine.begin(), mine.end());
    jobs.push_back(fabric.job(mine));
  }
  return Jobs(std::move(jobs));
}

std::vector<ConcurrentPlan> plan(const Fabric& fabric, const Jobs& jobs, const std::vector<Footprint>& others = {}) {
  auto planned = plan_jointly(fabric.network, fabric.routes, jobs.to_plan, others);
  EXPECT_TRUE(planned) << planned.error().message;
  return planned ? *planned : std::vector<ConcurrentPlan>{};
}

bool are_isolated(const std::vector<ConcurrentPlan>& plans) {
  return std::ranges::all_of(plans, [](const ConcurrentPlan& each) { return each.isolated; });
}

bool are_free_of_hot_spots(const Fabric& fabric, const Jobs& jobs, const std::vector<ConcurrentPlan>& plans) {
  bool free = true;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    free =
        free && measure_contention(fabric.network, fabric.routes, jobs.ports[i], plans[i].plan, *jobs.steps[i])->free;
  }
  return free;
}

double mean_bandwidth(const Fabric& fabric, const Jobs& jobs, const std::vector<ConcurrentPlan>& plans) {
  double sum = 0;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    std::vector<Footprint> others;
    for (std::size_t j = 0; j < plans.size(); ++j) {
      if (j != i) others.push_back(plans[j].footprint);
    }
    sum += concurrent_bandwidth(fabric.network, fabric.routes, jobs.ports[i], plans[i].plan, *jobs.steps[i], others)
               .value();
  }
  return sum / static_cast<double>(plans.size());
}

/// Tries all paths of all messages of all steps of all jobs: is there a choice by which no two messages of a step share
/// a link, and no two jobs, whatever step each is in?
class Exhaustive {
 public:
  Exhaustive(const Fabric& fabric, const Jobs& jobs, std::uint32_t paths) {
    for (std::uint32_t job = 0; job < jobs.ports.size(); ++job) {
      for (std::size_t s = 0; s < jobs.steps[job]->step_count(); ++s) {
        std::vector<Message> messages;
        jobs.steps[job]->step(s, messages);
        for (const Message& message : messages) {
          Choices choices{job, step_count_, {}};
          for (std::uint32_t bits = 0; bits < paths; ++bits) {
            choices.links.push_back(links(fabric, jobs.ports[job], message, bits));
          }
          if (!choices.links[0].empty()) messages_.push_back(choices);
        }
        ++step_count_;
      }
    }
  }

  bool isolates() { return search(0); }

 private:
  struct Choices {
    std::uint32_t job;
    std::size_t step;
    std::vector<std::vector<PortId>> links;  // by path bits
  };

  static std::vector<PortId> links(const Fabric& fabric, const Job& job, const Message& m, std::uint32_t bits) {
    std::vector<PortId> all;
    const auto lid = static_cast<Lid>(fabric.routes.lids.of(job[m.to]).base + bits);
    EXPECT_TRUE(trace(fabric.network, fabric.routes, job[m.from], lid, [&](PortId link) { all.push_back(link); }));
    return {all.begin() + 1, all.end() - 1};
  }

  bool search(std::size_t next) {
    if (next == messages_.size()) return true;
    const Choices& message = messages_[next];
    for (const auto& links : message.links) {
      const bool fits = std::ranges::all_of(links, [&](PortId link) {
        const auto owner = owner_.find(link);
        return (owner == owner_.end() || owner->second.first == message.job) && !used_.contains({message.step, link});
      });
      if (!fits) continue;
      for (const PortId link : links) {
        auto& [job, messages] = owner_[link];
        job = message.job;
        ++messages;
        used_.insert({message.step, link});
      }
      if (search(next + 1)) return true;
      for (const PortId link : links) {
        if (--owner_[link].second == 0) owner_.erase(link);
        used_.erase({message.step, link});
      }
    }
    return false;
  }

  std::vector<Choices> messages_;
  std::size_t step_count_ = 0;                                       // of all jobs
  std::map<PortId, std::pair<std::uint32_t, std::uint32_t>> owner_;  // job, and how many of its messages
  std::set<std::pair<std::size_t, PortId>> used_;                    // step and link
};

TEST(PlanJointly, IsolatesJobsWhereverTryingEverythingFindsIsolation) {
  int isolated = 0;
  int impossible = 0;
  // Trying everything takes a hundred times longer for the first seed than for all others together.
  for (std::uint64_t seed = test::tries(2U, 1U); seed <= 15U; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    Tree tree{.down = {3, 4}, .up = {3}, .scramble = random.below(3)};
    const bool narrow = seed % 3 == 0;
    const auto leaf = static_cast<std::uint32_t>(random.below(4));
    if (narrow) tree.missing = {3 * leaf + 1, 3 * leaf + 2};
    const Fabric fabric = make(tree, 2);
    std::vector<std::size_t> sizes = {3 + random.below(3), 3 + random.below(3)};
    if (random.below(2) == 0) sizes = {2 + random.below(2), 3 + random.below(2), 3};
    if (narrow) sizes = {3, 3};
    const Jobs jobs = random_jobs(fabric, 12, sizes, random);
    const bool possible = Exhaustive(fabric, jobs, 3).isolates();
    const auto plans = plan(fabric, jobs);
    EXPECT_EQ(are_isolated(plans) && are_free_of_hot_spots(fabric, jobs, plans), possible);
    (possible ? isolated : impossible) += 1;
  }
  EXPECT_GT(isolated, 5);
  EXPECT_GT(impossible, 0);
}

TEST(PlanJointly, NoJobOfThreeLeavesTheOthersMoreByOtherPaths) {
  int imperfect = 0;
  for (std::uint64_t seed = 1; seed <= 3U; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Fabric fabric = make(Tree{.down = {4, 4}, .up = {4}}, 2);
    const Jobs jobs = random_jobs(fabric, 16, {5, 6, 5}, random);
    const auto planned = plan(fabric, jobs);
    for (std::size_t job = 0; job < planned.size(); ++job) {
      const std::vector<Footprint> others{planned[(job + 1) % 3].footprint, planned[(job + 2) % 3].footprint};
      const auto task = PlanningTask::of(fabric.network, fabric.routes, jobs.ports[job], *jobs.steps[job]).value();
      const auto found = least_delays(task, others, planned[job].plan);
      EXPECT_FALSE(found && found->is_better);
    }
    imperfect += are_isolated(planned) ? 0 : 1;
  }
  EXPECT_GT(imperfect, 0);
}

TEST(PlanJointly, JobsExpectAtLeastWhatTheyGetPlannedOneByOne) {
  int better = 0;
  for (std::uint64_t seed = 1; seed <= test::tries(1U, 2U); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    Tree tree{.down = {4, 4}, .up = {4}};
    for (std::uint32_t cable = 0; cable < 16; ++cable) {
      if (cable % 4 != 0 && random.below(8) == 0) tree.missing.push_back(cable);
    }
    const Fabric fabric = make(tree, 2);
    const Jobs jobs = random_jobs(fabric, 16, {5, 5, 5}, random);
    std::vector<ConcurrentPlan> one_by_one;
    std::vector<Footprint> before;
    for (const JobToPlan& job : jobs.to_plan) {
      one_by_one.push_back(plan_concurrent(fabric.network, fabric.routes, job.endpoints, job.steps, before).value());
      before.push_back(one_by_one.back().footprint);
    }
    const auto jointly = plan(fabric, jobs);
    const double gain = mean_bandwidth(fabric, jobs, jointly) - mean_bandwidth(fabric, jobs, one_by_one);
    EXPECT_GE(gain, -1e-9);
    better += gain > 1e-6 ? 1 : 0;
  }
  EXPECT_GT(better, 0);
}

TEST(PlanJointly, JobsOfDisjointPlansGetTogetherWhatTheyGetAlone) {
  const Fabric fabric = make(Tree{.down = {6, 6}, .up = {6}}, 3);
  Random random(5);
  int isolated = 0;
  for (int i = 0; i < 2; ++i) {
    const Jobs jobs = random_jobs(fabric, 36, {6, 6, 7}, random);
    const auto plans = plan(fabric, jobs);
    std::vector<JobOnFabric> running;
    for (std::size_t j = 0; j < plans.size(); ++j) {
      running.push_back({std::to_string(j), jobs.ports[j], plans[j].plan, *jobs.steps[j]});
    }
    const auto together = measure_together(fabric.network, fabric.routes, running, {}).value();
    EXPECT_EQ(together.shared.empty(), are_isolated(plans));
    for (const JobInterference& job : together.jobs) EXPECT_EQ(together.shared.empty() ? job.together : 1, 1);
    isolated += are_isolated(plans) ? 1 : 0;
  }
  EXPECT_GT(isolated, 0);
}

TEST(PlanJointly, AvoidsJobsThatRunAlready) {
  const Fabric fabric = make(Tree{.down = {6, 6}, .up = {6}}, 3);
  Random random(6);
  const Jobs all = random_jobs(fabric, 36, {6, 6, 6}, random);
  const auto& first = all.to_plan[0];
  const auto runs = plan_concurrent(fabric.network, fabric.routes, first.endpoints, first.steps, {}).value().footprint;
  const Jobs later({all.ports[1], all.ports[2]});
  const auto plans = plan(fabric, later, {runs});
  ASSERT_EQ(plans.size(), 2U);
  EXPECT_TRUE(shared_links(std::vector<Footprint>{runs, plans[0].footprint, plans[1].footprint}).empty());
  EXPECT_TRUE(are_isolated(plans));
}

TEST(PlanJointly, NoJobOneJobAndTinyJobs) {
  const Fabric fabric = make(Tree{.down = {3, 3}, .up = {3}}, 2);
  EXPECT_TRUE(plan(fabric, Jobs({})).empty());
  const Jobs one({fabric.contiguous(6)});
  EXPECT_TRUE(are_isolated(plan(fabric, one)));
  const Jobs tiny({fabric.job({0}), fabric.job({1, 2}), fabric.job({3, 6})});
  EXPECT_TRUE(are_isolated(plan(fabric, tiny)));
}

TEST(PlanJointly, JobsThatShareAHostAreNotIsolated) {
  const Fabric fabric = make(Tree{.down = {3, 3}, .up = {3}}, 2);
  const auto plans = plan(fabric, Jobs({fabric.job({0, 1, 3}), fabric.job({1, 5}), fabric.job({6, 7})}));
  ASSERT_EQ(plans.size(), 3U);
  EXPECT_FALSE(plans[0].isolated);
  EXPECT_FALSE(plans[1].isolated);
  EXPECT_DOUBLE_EQ(plans[1].conflicts, 2);
  EXPECT_DOUBLE_EQ(plans[1].least_conflicts, 2);
  EXPECT_TRUE(plans[2].isolated);
}

TEST(PlanJointly, OneLidLeavesNothingToChoose) {
  const Fabric fabric = make(Tree{.down = {3, 3}, .up = {3}}, 0);
  const auto plans = plan(fabric, Jobs({fabric.job({0, 3, 6}), fabric.job({1, 4, 7})}));
  for (const ConcurrentPlan& each : plans) {
    EXPECT_LE(each.least_conflicts, each.conflicts);
    for (const std::uint8_t bits : each.plan.all_path_bits()) EXPECT_EQ(bits, 0);
  }
}

TEST(PlanJointly, AnEndpointThatTheTablesDoNotReachIsAnError) {
  Fabric fabric = make(Tree{.down = {2, 2}, .up = {2}}, 0);
  const Jobs jobs({fabric.contiguous(4)});
  fabric.routes.tables.set_out(fabric.network.router_of(jobs.ports[0][0]), fabric.routes.lids.of(jobs.ports[0][3]).base,
                               255);
  const auto failed = plan_jointly(fabric.network, fabric.routes, jobs.to_plan, {});
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().message.find("'h3' port 1"), std::string::npos) << failed.error().message;
}

/// Whoever stops it before it begins gets plans all the same, and the search then finds at least as much.
TEST(PlanJointly, AStoppedSearchReturnsWhatItHas) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Fabric fabric = make(Tree{.down = {4, 4}, .up = {4}}, 2);
    const Jobs jobs = random_jobs(fabric, 16, {5, 5, 5}, random);
    SearchControl control;
    control.stop();
    const auto stopped = plan_jointly(fabric.network, fabric.routes, jobs.to_plan, {}, control);
    ASSERT_TRUE(stopped) << stopped.error().message;
    const auto whole = plan(fabric, jobs);
    EXPECT_GE(mean_bandwidth(fabric, jobs, whole), mean_bandwidth(fabric, jobs, *stopped) - 1e-9);
    EXPECT_EQ(control.done(), 0U);
  }
}

TEST(PlanConcurrent, AStoppedSearchReturnsWhatItHas) {
  const Fabric fabric = make(Tree{.down = {4, 4}, .up = {4}}, 2);
  Random random(1);
  const Jobs jobs = random_jobs(fabric, 16, {6, 6}, random);
  const auto first = plan(fabric, jobs);
  SearchControl control;
  control.stop();
  const auto stopped = plan_concurrent(fabric.network, fabric.routes, jobs.ports[1], *jobs.steps[1],
                                       std::vector{first[0].footprint}, control);
  ASSERT_TRUE(stopped) << stopped.error().message;
  EXPECT_EQ(stopped->plan.rank_count(), 6U);
  EXPECT_LE(stopped->least_conflicts, stopped->conflicts);
}

}  // namespace plan_jointly_test
}  // namespace ayatori
