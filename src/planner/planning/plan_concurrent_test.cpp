#include "ayatori/planning/plan_concurrent.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "../../base/thoroughness_fixtures.hpp"
#include "../contention/tree_fixtures.hpp"
#include "ayatori/contention/contention.hpp"
#include "ayatori/contention/jobs_together.hpp"
#include "ayatori/network/job.hpp"
#include "ayatori/planning/make_plan.hpp"
#include "ayatori/routing/generate.hpp"
#include "ayatori/schedule/pattern.hpp"
#include "ayatori/sources/source.hpp"
#include "concurrent_planner.hpp"

namespace ayatori {
namespace plan_concurrent_test {

using test::Fabric;
using test::Tree;

ConcurrentPlan plan(const Fabric& fabric, const std::vector<PortId>& job, const StepSequence& steps,
                    const std::vector<Footprint>& others) {
  auto planned = plan_concurrent(fabric.network, fabric.routes, job, steps, others);
  EXPECT_TRUE(planned) << planned.error().message;
  return planned ? *planned : ConcurrentPlan{};
}

ConcurrentPlan plan(const Fabric& fabric, const std::vector<PortId>& job, const std::vector<Footprint>& others) {
  return plan(fabric, job, *shift_all_to_all(static_cast<Rank>(job.size())), others);
}

/// Of a job that runs with a plan that it has alone.
Footprint running(const Fabric& fabric, const std::vector<PortId>& job) {
  const auto steps = shift_all_to_all(static_cast<Rank>(job.size()));
  const Planned alone = make_plan(fabric.network, fabric.routes, job, *steps, Method::pair).value();
  return footprint_of(fabric.network, fabric.routes, job, alone.plan, *steps).value();
}

bool is_free_of_hot_spots(const Fabric& fabric, const std::vector<PortId>& job, const Plan& plan) {
  return measure_contention(fabric.network, fabric.routes, job, plan, *shift_all_to_all(static_cast<Rank>(job.size())))
      ->free;
}

/// Links between routers that a message takes with these path bits, by tables.hpp's trace().
std::vector<PortId> links(const Fabric& fabric, const std::vector<PortId>& job, const Message& m, std::uint32_t bits) {
  std::vector<PortId> all;
  const auto lid = static_cast<Lid>(fabric.routes.lids.of(job[m.to]).base + bits);
  EXPECT_TRUE(trace(fabric.network, fabric.routes, job[m.from], lid, [&](PortId link) { all.push_back(link); }));
  return {all.begin() + 1, all.end() - 1};
}

/// Of the links that other jobs use: p(l) of plan_concurrent.hpp.
std::map<PortId, double> shares(const std::vector<Footprint>& footprints) {
  std::map<PortId, double> sums;
  for (const Footprint& footprint : footprints) {
    for (const LinkUse& use : footprint.links) sums[use.link] += footprint.share(use);
  }
  return sums;
}

/// Tries all paths of all messages of a step.
class Exhaustive {
 public:
  Exhaustive(const Fabric& fabric, const std::vector<PortId>& job, const std::vector<Footprint>& others,
             std::uint32_t paths)
      : fabric_(fabric), job_(job), shares_(shares(others)), paths_(paths) {}

  /// The fewest conflicts without a link that carries two messages; nothing if there is no such choice.
  std::optional<double> fewest(const std::vector<Message>& messages) {
    best_.reset();
    links_.clear();
    for (const Message& message : messages) {
      links_.emplace_back();
      for (std::uint32_t bits = 0; bits < paths_; ++bits) links_.back().push_back(links(fabric_, job_, message, bits));
    }
    search(0, {}, 0);
    return best_;
  }

 private:
  void search(std::size_t next, const std::set<PortId>& used, double cost) {
    if (best_ && cost >= *best_) return;
    if (next == links_.size()) {
      best_ = cost;
      return;
    }
    for (const std::vector<PortId>& path : links_[next]) {
      std::set<PortId> with = used;
      double sum = cost;
      bool fits = true;
      for (const PortId link : path) {
        fits = fits && with.insert(link).second;
        sum += shares_.contains(link) ? shares_.at(link) : 0;
      }
      if (fits) search(next + 1, with, sum);
    }
  }

  const Fabric& fabric_;
  const std::vector<PortId>& job_;
  std::map<PortId, double> shares_;
  std::uint32_t paths_;
  std::vector<std::vector<std::vector<PortId>>> links_;  // by message and path bits
  std::optional<double> best_;
};

// The paths of one step say nothing of those of another: each pair occurs once in a shift all-to-all.
TEST(PlanConcurrent, HasAsFewConflictsAsTryingEverythingFinds) {
  int isolated = 0;
  int not_isolated = 0;
  for (std::uint64_t seed = 1; seed <= 20U; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Fabric fabric = make(Tree{.down = {3, 4}, .up = {3}, .scramble = random.below(3)}, 2);
    auto hosts = test::random_subset(12, 12, random);
    random.shuffle(std::span(hosts));
    const std::size_t first_size = 3 + random.below(3);
    std::vector<std::uint32_t> first(hosts.begin(), hosts.begin() + static_cast<std::ptrdiff_t>(first_size));
    std::vector<std::uint32_t> second(hosts.begin() + 6,
                                      hosts.begin() + 9 + static_cast<std::ptrdiff_t>(random.below(4)));
    std::sort(first.begin(), first.end());
    std::sort(second.begin(), second.end());
    const auto others = test::without_steps({plan(fabric, fabric.job(first), {}).footprint});
    const auto job = fabric.job(second);
    const ConcurrentPlan found = plan(fabric, job, others);

    Exhaustive exhaustive(fabric, job, others, 3);
    const auto steps = shift_all_to_all(static_cast<Rank>(job.size()));
    std::vector<Message> messages;
    double fewest = 0;
    for (std::size_t s = 0; s < steps->step_count(); ++s) {
      steps->step(s, messages);
      std::erase_if(messages, [&](const Message& m) { return links(fabric, job, m, 0).empty(); });
      const auto of_step = exhaustive.fewest(messages);
      ASSERT_TRUE(of_step);
      fewest += *of_step / static_cast<double>(steps->step_count());
    }
    EXPECT_NEAR(found.conflicts, fewest, 1e-9);
    EXPECT_LE(found.least_conflicts, fewest + 1e-9);
    EXPECT_EQ(found.isolated, fewest == 0);
    EXPECT_TRUE(is_free_of_hot_spots(fabric, job, found.plan));
    isolated += found.isolated ? 1 : 0;
    not_isolated += found.isolated ? 0 : 1;
  }
  EXPECT_GT(isolated, 7);
  EXPECT_GT(not_isolated, 7);
}

TEST(PlanConcurrent, ConflictsAreTheSharesOfSharedLinks) {
  const Fabric fabric = make(Tree{.down = {4, 4}, .up = {4}}, 2);
  for (std::uint64_t seed = 1; seed <= test::tries(5U, 20U); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    std::vector<Footprint> others;
    for (int i = 0; i < 2; ++i) others.push_back(running(fabric, fabric.job(test::random_subset(16, 7, random))));
    const auto job = fabric.job(test::random_subset(16, 8, random));
    const ConcurrentPlan found = plan(fabric, job, others);
    const auto p = shares(others);
    double conflicts = 0;
    for (const LinkUse& use : found.footprint.links) {
      if (p.contains(use.link)) conflicts += p.at(use.link) * found.footprint.share(use);
    }
    EXPECT_NEAR(found.conflicts, conflicts, 1e-12);
    EXPECT_LE(found.least_conflicts, found.conflicts);
  }
}

TEST(PlanConcurrent, JobsThatShareAHostAreNotIsolated) {
  const Fabric fabric = make(Tree{.down = {3, 3}, .up = {3}}, 2);
  const Footprint other = running(fabric, fabric.job({0, 1, 3}));
  const ConcurrentPlan found = plan(fabric, fabric.job({3, 5}), {other});
  EXPECT_FALSE(found.isolated);
  // Host 3 sends and receives in each step of both jobs.
  EXPECT_DOUBLE_EQ(found.conflicts, 2);
  EXPECT_DOUBLE_EQ(found.least_conflicts, 2);
  EXPECT_EQ(found.reason, "only cables of hosts that several jobs have are shared with another job");
  EXPECT_TRUE(plan(fabric, fabric.job({4, 5}), {other}).isolated);
}

TEST(PlanConcurrent, JobsOfDisjointPlansGetTogetherWhatTheyGetAlone) {
  const Fabric fabric = make(Tree{.down = {6, 6}, .up = {6}}, 3);
  Random random(3);
  int isolated = 0;
  for (int i = 0; i < test::tries(5, 20); ++i) {
    auto hosts = test::random_subset(36, 36, random);
    random.shuffle(std::span(hosts));
    const auto a = fabric.job({hosts.begin(), hosts.begin() + 8});
    const auto b = fabric.job({hosts.begin() + 8, hosts.begin() + 16});
    const ConcurrentPlan first = plan(fabric, a, {});
    const ConcurrentPlan second = plan(fabric, b, {first.footprint});
    if (!second.isolated) continue;
    ++isolated;
    const auto steps = shift_all_to_all(8);
    const std::vector<JobOnFabric> jobs = {{"a", a, first.plan, *steps}, {"b", b, second.plan, *steps}};
    const auto together = measure_together(fabric.network, fabric.routes, jobs, {}).value();
    EXPECT_TRUE(together.shared.empty());
    EXPECT_EQ(together.jobs[0].together, 1);
    EXPECT_EQ(together.jobs[1].together, 1);
  }
  EXPECT_GT(isolated, 0);
}

TEST(PlanConcurrent, UsesFewerLinksThanAPlanThatSpreads) {
  const Fabric fabric = make(Tree{.down = {6, 6}, .up = {6}}, 3);
  Random random(4);
  for (int i = 0; i < test::tries(4, 10); ++i) {
    const auto job = fabric.job(test::random_subset(36, 12, random));
    const auto steps = shift_all_to_all(12);
    const ConcurrentPlan compact = plan(fabric, job, {});
    const Plan spread = make_plan(fabric.network, fabric.routes, job, *steps, Method::pair)->plan;
    const Footprint wide = footprint_of(fabric.network, fabric.routes, job, spread, *steps).value();
    EXPECT_LT(compact.footprint.links.size() * 4, wide.links.size() * 3);
    EXPECT_TRUE(is_free_of_hot_spots(fabric, job, compact.plan));
  }
}

TEST(PlanConcurrent, DamagedTreesAndSlowCablesArePlannedAsWellAsTheirLeavesAllow) {
  for (std::uint64_t seed = 1; seed <= test::tries(4U, 12U); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    Tree tree{.down = {4, 4}, .up = {4}};
    for (std::uint32_t cable = 0; cable < 16; ++cable) {
      if (cable % 4 != 0 && random.below(5) == 0) tree.missing.push_back(cable);
      if (cable % 4 != 0 && random.below(6) == 0) tree.slow.push_back(cable);
    }
    const Fabric fabric = make(tree, 2);
    const auto job = fabric.job(test::random_subset(16, 8, random));
    const std::vector<Footprint> others = {running(fabric, fabric.job(test::random_subset(16, 6, random)))};
    const ConcurrentPlan found = plan(fabric, job, others);
    EXPECT_LE(found.least_conflicts, found.conflicts);
    const auto steps = shift_all_to_all(8);
    const Planned alone = make_plan(fabric.network, fabric.routes, job, *steps, Method::pair).value();
    const auto time = [&](const Plan& plan) {
      return measure_contention(fabric.network, fabric.routes, job, plan, *steps)->mean_time;
    };
    EXPECT_LE(time(found.plan), time(alone.plan) * 1.15);
  }
}

TEST(PlanConcurrent, TinyJobsSharedNicsAndPairsThatMeetAgain) {
  const Fabric fabric = make(Tree{.down = {3, 3}, .up = {3}}, 2);
  const ConcurrentPlan one = plan(fabric, fabric.job({4}), {});
  EXPECT_TRUE(one.isolated);
  EXPECT_TRUE(one.footprint.links.empty());
  EXPECT_TRUE(plan(fabric, fabric.job({0, 1}), {}).isolated);  // on one leaf
  const ConcurrentPlan several = plan(fabric, fabric.job({0, 1, 3, 4}, 2), {});
  EXPECT_TRUE(several.isolated);
  const auto job = fabric.contiguous(9);
  const ConcurrentPlan again = plan(fabric, job, *random_permutations(9, 40, 1), {several.footprint});
  EXPECT_GE(again.conflicts, again.least_conflicts);
  EXPECT_EQ(again.plan.rank_count(), 9U);
}

TEST(PlanConcurrent, OneLidLeavesNothingToChooseAndSaysWhatIsShared) {
  const Fabric fabric = make(Tree{.down = {3, 3}, .up = {3}}, 0);
  const auto job = fabric.contiguous(6);
  const ConcurrentPlan found = plan(fabric, job, {plan(fabric, fabric.contiguous(9), {}).footprint});
  EXPECT_FALSE(found.isolated);
  EXPECT_GT(found.conflicts, 0);
  for (const std::uint8_t bits : found.plan.all_path_bits()) EXPECT_EQ(bits, 0);
}

TEST(PlanConcurrent, ALargeJobKeepsAPlanWithoutHotSpots) {
  // More than 50,000 messages, which are planned once only.
  const auto [source, lmc, hosts] =
      test::tries(std::tuple("xgft:h=2;m=2,132;w=1,2", 1, 226U), std::tuple("fattree:K=12,levels=2", 4, 250U));
  Network network = open_source(source).value();
  Routes routes = generate_routes(network, lmc).value().routes;
  const Fabric fabric{std::move(network), std::move(routes)};
  const std::vector<Footprint> others = {running(fabric, fabric.job({hosts + 10, hosts + 14, hosts + 26, hosts + 34}))};
  const auto job = fabric.contiguous(hosts);
  const ConcurrentPlan found = plan(fabric, job, others);
  EXPECT_TRUE(is_free_of_hot_spots(fabric, job, found.plan));
}

TEST(ConcurrentPlanner, BeginsWithTheFirstChoiceWhereAPlanHasAPathThatIsNoChoice) {
  // Three paths and four LIDs: the fourth leads where the first does.
  const Fabric fabric = make(Tree{.down = {3, 3}, .up = {3}}, 2);
  const auto job = fabric.contiguous(9);
  const auto steps = shift_all_to_all(9);
  const PlanningTask task = PlanningTask::of(fabric.network, fabric.routes, job, *steps).value();
  const Plan improved = ConcurrentPlanner(task, {}).improve(Plan::per_pair(9, std::vector<std::uint8_t>(81, 3)));
  for (const std::uint8_t bits : improved.all_path_bits()) EXPECT_LT(bits, 3);
  EXPECT_TRUE(is_free_of_hot_spots(fabric, job, improved));
}

TEST(PlanConcurrent, AnEndpointThatTheTablesDoNotReachIsAnError) {
  Fabric fabric = make(Tree{.down = {2, 2}, .up = {2}}, 0);
  const auto job = fabric.contiguous(4);
  fabric.routes.tables.set_out(fabric.network.router_of(job[0]), fabric.routes.lids.of(job[3]).base, 255);
  const auto failed = plan_concurrent(fabric.network, fabric.routes, job, *shift_all_to_all(4), {});
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().message.find("'h3' port 1"), std::string::npos) << failed.error().message;
}

}  // namespace plan_concurrent_test
}  // namespace ayatori
